/* Calls the program `add`: its input plus ones, 2x4. */
#include "add.h"

#include <stdio.h>
#include <stdlib.h>

static void launch(memfmt_context *context, int64_t id, memfmt_kernel_fn kernel,
                   void **args, int64_t n) {
  (void)context;
  (void)id;
  kernel(args, 0, n);
}

int main(void) {
  static float in[8] = {0, 1, 2, 3, 4, 5, 6, 7}, out[8];
  const int64_t sizes[2] = {2, 4}, strides[2] = {4, 1};
  memfmt_tensor input = {in, 0, 2, sizes, strides, 0};
  memfmt_tensor output = {out, 0, 2, sizes, strides, 0};
  memfmt_context context = {0};
  context.arena = aligned_alloc(64, (ADD_ARENA_BYTES / 64 + 1) * 64);
  context.constants = add_constants;
  context.launch = launch;
  int32_t status = add(&context, &input, &output);
  for (int i = 0; i < 8; ++i)
    printf("%g ", out[i]);
  printf("\n");
  free(context.arena);
  return status;
}
