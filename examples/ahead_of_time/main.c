/* Calls the functions of rows.mlir, which inplace-compile made a library of; see there how to build it. */

#include <stdio.h>
#include <stdlib.h>

#include "rows.h"

static void print_matrix(const char *name, const rows_f32_2d *a) {
  printf("%s:\n", name);
  for (int64_t i = 0; i < a->sizes[0]; ++i) {
    for (int64_t j = 0; j < a->sizes[1]; ++j)
      printf("%8.2f", a->data[i * a->strides[0] + j * a->strides[1]]);
    printf("\n");
  }
}

static void check(int error) {
  if (error == ROWS_OK)
    return;
  fprintf(stderr, "error %d: %s\n", error, rows_message(error));
  exit(1);
}

static void print_products(const rows_f32_2d *a) {
  rows_f32_2d products; /* Only the code knows its size: it allocates the memory, we free it. */
  check(rows_gram(a, &products));
  print_matrix("products of rows", &products);
  free(products.memory);
}

int main(void) {
  float values[3][3] = {{1, 2, 6}, {4, 4, 4}, {9, 0, 3}};
  rows_f32_2d a = rows_f32_2d_of(values[0], 3, 3);

  /* Two results: a number, and an array in memory of ours. */
  float sum, diagonal[3];
  rows_f32_1d d = rows_f32_1d_of(diagonal, 3);
  check(rows_trace(&a, &sum, &d));
  printf("trace: %.2f = %.2f + %.2f + %.2f\n", sum, diagonal[0], diagonal[1], diagonal[2]);

  /* The argument is updated. */
  check(rows_center(&a));
  print_matrix("centered", &a);

  /* A result is allocated. */
  print_products(&a);

  /* Wrong calls return the number of an error. */
  rows_f32_2d empty = rows_f32_2d_of(values[0], 3, 0), narrow = rows_f32_2d_of(values[0], 3, 2);
  printf("no columns: %s\n", rows_message(rows_center(&empty)));
  printf("3x2: %s\n", rows_message(rows_trace(&narrow, &sum, &d)));
  return 0;
}
