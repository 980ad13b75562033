// RUN: not inplace-opt %s --inplace-count-memory=alignment=24 2>&1 | filecheck %s

// CHECK: error: option 'alignment' of inplace-count-memory is 24, but a power of two is needed
func.func @main() {
  return
}
