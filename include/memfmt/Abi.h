/*===- Abi.h - the C interface of compiled programs ---------------*- C -*-===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* A compiled program has one entry of type memfmt_entry_fn. It is re-entrant:
|* everything that it writes is in the context or in the outputs.
\*===----------------------------------------------------------------------===*/

#ifndef MEMFMT_ABI_H
#define MEMFMT_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A strided array of the caller. `offset` and `strides` count elements, sizes
   and strides are in logical order. */
typedef struct memfmt_tensor {
  void *data;
  int64_t offset;
  int64_t rank;
  const int64_t *sizes;
  const int64_t *strides;
  int32_t element_type;
} memfmt_tensor;

/* Pieces lo to hi (excluded) of the work of a kernel on the buffers `args`. */
typedef void (*memfmt_kernel_fn)(void **args, int64_t lo, int64_t hi);

/* What a program runs in. */
typedef struct memfmt_context {
  /* Scratch memory, 64-byte aligned, of the size that the program states. */
  void *arena;
  /* The constants of the program, 64-byte aligned. */
  const void *constants;
  /* Owned by `launch`. */
  void *pool;
  /* Runs fn on the pieces 0 to n; `id` numbers the operations of a program. */
  void (*launch)(struct memfmt_context *context, int64_t id,
                 memfmt_kernel_fn fn, void **args, int64_t n);
  /* Owned by `launch`. */
  void *profile;
} memfmt_context;

/* Returns 0. Shapes and strides were checked by the caller. */
typedef int32_t (*memfmt_entry_fn)(memfmt_context *context,
                                   const memfmt_tensor *inputs,
                                   const memfmt_tensor *outputs);

#ifdef __cplusplus
}
#endif

#endif /* MEMFMT_ABI_H */
