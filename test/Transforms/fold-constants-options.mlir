// RUN: memfmt-opt %s --memfmt-fold-constants=max-growth=0 --verify-diagnostics

// expected-error @below {{expects option `max-growth` to be 1 or more, found 0}}
module {
}
