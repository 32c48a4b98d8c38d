// RUN: memfmt-opt %s --verify-diagnostics --memfmt-propagate=policy=eager

// expected-error @+1 {{expects policy `symmetric` or `torch`, found `eager`}}
module {
}
