/* Trains on 3 ranks by data_parallel.mlir, which inplace-compile makes a library of:

     inplace-compile examples/sharded/data_parallel.mlir -o libtrain.so --header train.h --grid 3
     mpicc examples/sharded/main.c -I. -L. -ltrain -Wl,-rpath,. -o train
     mpiexec -n 3 ./train

   Each rank makes its own samples, and has the whole model. */

#include <stdio.h>
#include <stdlib.h>

#include "train.h"

enum { SAMPLES = 100, INPUTS = 8, OUTPUTS = 4, STEPS = 50 };

static void check(int error) {
  if (error == TRAIN_OK)
    return;
  fprintf(stderr, "error %d: %s\n", error, train_message(error));
  MPI_Abort(MPI_COMM_WORLD, 1); /* The other ranks would wait for this one. */
  exit(1);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  check(train_use_mpi(MPI_COMM_WORLD));

  /* This rank's part of the samples: the model is to learn the sums of two inputs. */
  int64_t first = train_part_start(SAMPLES, ranks, rank), mine = train_part_size(SAMPLES, ranks, rank);
  float *inputs = malloc(sizeof(float) * mine * INPUTS), *wanted = malloc(sizeof(float) * mine * OUTPUTS);
  if (!inputs || !wanted)
    MPI_Abort(MPI_COMM_WORLD, 1);
  for (int64_t i = 0; i < mine; ++i) {
    for (int64_t j = 0; j < INPUTS; ++j)
      inputs[i * INPUTS + j] = (float)((first + i) * (j + 3) % 11) / 16.0f - 0.25f;
    for (int64_t j = 0; j < OUTPUTS; ++j)
      wanted[i * OUTPUTS + j] = inputs[i * INPUTS + j] + inputs[i * INPUTS + j + OUTPUTS];
  }

  float weights[INPUTS * OUTPUTS] = {0};
  train_f32_2d x = train_f32_2d_of(inputs, mine, INPUTS), y = train_f32_2d_of(wanted, mine, OUTPUTS);
  train_f32_2d w = train_f32_2d_of(weights, INPUTS, OUTPUTS);
  for (int step = 0; step < STEPS; ++step)
    check(train_main(&x, &y, &w)); /* The weights are updated, with the gradient of all ranks. */

  if (rank == 0)
    for (int j = 0; j < OUTPUTS; ++j)
      printf("output %d: %6.3f %6.3f\n", j, weights[j * OUTPUTS + j], weights[(j + OUTPUTS) * OUTPUTS + j]);
  free(inputs);
  free(wanted);
  MPI_Finalize();
  return 0;
}
