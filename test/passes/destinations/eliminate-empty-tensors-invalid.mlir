// RUN: inplace-opt %s --split-input-file --inplace-eliminate-empty-tensors=print-kept=true --verify-diagnostics

// The destination is read between.
func.func @read_between(%t: tensor<10xf32>, %o: index, %c: f32) -> (tensor<10xf32>, f32) {
  %e = tensor.empty() : tensor<5xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %x = tensor.extract %t[%o] : tensor<10xf32>
  // expected-remark @+1 {{the empty tensor whose value is inserted by 'tensor.insert_slice' stays: the slice of the destination would get a buffer of its own: a value that is read later would be overwritten}}
  %r = tensor.insert_slice %f into %t[%o] [5] [1] : tensor<5xf32> into tensor<10xf32>
  return %r, %x : tensor<10xf32>, f32
}

// -----

// The destination is needed afterwards: it is copied anyway.
func.func @read_after(%t: tensor<10xf32>, %o: index, %c: f32) -> (tensor<10xf32>, f32) {
  %e = tensor.empty() : tensor<5xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  // expected-remark @+1 {{stays: the destination of the insertion gets a buffer of its own: a value that is read later would be overwritten}}
  %r = tensor.insert_slice %f into %t[%o] [5] [1] : tensor<5xf32> into tensor<10xf32>
  %x = tensor.extract %t[%o] : tensor<10xf32>
  return %r, %x : tensor<10xf32>, f32
}

// -----

// Only one branch inserts: in the other one the slice may be out of bounds.
func.func @not_always(%t: tensor<?xf32>, %o: index, %x: f32, %c: i1) -> tensor<?xf32> {
  %e = tensor.empty() : tensor<5xf32>
  // expected-note @+1 {{this is 'linalg.fill'}}
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %r = scf.if %c -> tensor<?xf32> {
    // expected-remark @+1 {{stays: the insertion is not always reached from where the empty tensor is used}}
    %i = tensor.insert_slice %f into %t[%o] [5] [1] : tensor<5xf32> into tensor<?xf32>
    scf.yield %i : tensor<?xf32>
  } else {
    scf.yield %t : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// The check comes after the computation.
func.func @checked_later(%t: tensor<?xf32>, %o: index, %x: f32, %c: i1) -> tensor<?xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  // expected-note @+1 {{this is 'cf.assert'}}
  cf.assert %c, "out of bounds"
  // expected-remark @+1 {{stays: 'cf.assert' may end the program before the insertion, whose slice may be out of bounds}}
  %r = tensor.insert_slice %f into %t[%o] [5] [1] : tensor<5xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @not_movable(%t: tensor<?xf32>, %m: memref<index>, %x: f32) -> tensor<?xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  // expected-note @+1 {{this is 'memref.load'}}
  %o = memref.load %m[] : memref<index>
  // expected-remark @+1 {{stays: 'memref.load', which the slice needs, comes later and cannot move}}
  %r = tensor.insert_slice %f into %t[%o] [5] [1] : tensor<5xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// The place depends on the value.
func.func @depends(%t: tensor<?xindex>, %x: index) -> tensor<?xindex> {
  %e = tensor.empty() : tensor<5xindex>
  // expected-note @+1 {{this is 'linalg.fill'}}
  %f = linalg.fill ins(%x : index) outs(%e : tensor<5xindex>) -> tensor<5xindex>
  %c0 = arith.constant 0 : index
  // expected-remark @+1 {{stays: the slice of the destination would get a buffer of its own: the op reads the buffer while it writes it}}
  %s = tensor.insert_slice %f into %t[%c0] [5] [1] : tensor<5xindex> into tensor<?xindex>
  %d = tensor.cast %f : tensor<5xindex> to tensor<?xindex>
  %n = tensor.dim %d, %c0 : tensor<?xindex>
  // expected-remark @+1 {{stays: the slice depends on the value that would be computed in it}}
  %r = tensor.insert_slice %f into %s[%n] [5] [1] : tensor<5xindex> into tensor<?xindex>
  return %r : tensor<?xindex>
}

// -----

func.func @one_of_two(%t: tensor<10xf32>, %a: tensor<5xf32>, %c: i1) -> tensor<10xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %x = linalg.exp ins(%a : tensor<5xf32>) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  // expected-note @+1 {{this is 'arith.select'}}
  %v = arith.select %c, %x, %a : tensor<5xf32>
  // expected-remark @+1 {{stays: the source of the insertion may be one of several buffers}}
  %r = tensor.insert_slice %v into %t[2] [5] [1] : tensor<5xf32> into tensor<10xf32>
  return %r : tensor<10xf32>
}

// -----

// A collapse of a strided slice would be a copy.
func.func @not_contiguous(%t: tensor<10x3xf32>, %x: f32) -> tensor<10x3xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // expected-note @+1 {{this is 'tensor.expand_shape'}}
  %y = tensor.expand_shape %f [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  // expected-remark @+1 {{stays: the slice may not be contiguous, as the reshape between would need}}
  %r = tensor.insert_slice %y into %t[2, 1] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<10x3xf32>
  return %r : tensor<10x3xf32>
}

// -----

// Nor can the collapse on the way be a view, for all that is known about the layout of what a loop carries.
func.func @unknown_layout(%t: tensor<10x3xf32>, %x: f32, %n: index) -> tensor<10x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<2x2xf32>
  %l = linalg.fill ins(%x : f32) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  %f = scf.for %i = %c0 to %n step %c1 iter_args(%v = %l) -> tensor<2x2xf32> {
    %w = tensor.insert %x into %v[%i, %c1] : tensor<2x2xf32>
    scf.yield %w : tensor<2x2xf32>
  }
  // expected-note @+1 {{this is 'tensor.collapse_shape'}}
  %y = tensor.collapse_shape %f [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
  // expected-remark @+1 {{stays: the slice may not be contiguous, as the reshape between would need}}
  %r = tensor.insert_slice %y into %t[2, 1] [4, 1] [1, 1] : tensor<4xf32> into tensor<10x3xf32>
  return %r : tensor<10x3xf32>
}

// -----

func.func @part(%t: tensor<10xf32>, %x: f32) -> tensor<10xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  // expected-note @+1 {{this is 'tensor.extract_slice'}}
  %y = tensor.extract_slice %f[2] [5] [1] : tensor<8xf32> to tensor<5xf32>
  // expected-remark @+1 {{stays: only a part of the computed tensor is inserted}}
  %r = tensor.insert_slice %y into %t[2] [5] [1] : tensor<5xf32> into tensor<10xf32>
  return %r : tensor<10xf32>
}

// -----

func.func @buffer_of_its_own(%t: tensor<10xf32>, %x: f32, %a: tensor<5xf32>, %c: i1) -> tensor<10xf32> {
  %v = scf.if %c -> tensor<5xf32> {
    // expected-note @+1 {{this is 'bufferization.alloc_tensor'}}
    %e = bufferization.alloc_tensor() : tensor<5xf32>
    %y = linalg.fill ins(%x : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
    scf.yield %y : tensor<5xf32>
  } else {
    %e = tensor.empty() : tensor<5xf32>
    %y = linalg.exp ins(%a : tensor<5xf32>) outs(%e : tensor<5xf32>) -> tensor<5xf32>
    scf.yield %y : tensor<5xf32>
  }
  // expected-remark @+1 {{stays: 'bufferization.alloc_tensor' asks for a buffer of its own}}
  %r = tensor.insert_slice %v into %t[2] [5] [1] : tensor<5xf32> into tensor<10xf32>
  return %r : tensor<10xf32>
}

// -----

// The memref is read in between.
func.func @memory_read_between(%a: tensor<4xf32>, %m: memref<4xf32>, %i: index) -> f32 {
  %e = tensor.empty() : tensor<4xf32>
  %x = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // expected-note @+1 {{this is 'memref.load'}}
  %y = memref.load %m[%i] : memref<4xf32>
  // expected-remark @+1 {{stays: 'memref.load' may use the memref before the insertion}}
  bufferization.materialize_in_destination %x in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  return %y : f32
}

// -----

// Nothing is told about what is not computed in an empty tensor.
func.func @argument(%t: tensor<10xf32>, %a: tensor<5xf32>) -> tensor<10xf32> {
  %r = tensor.insert_slice %a into %t[2] [5] [1] : tensor<5xf32> into tensor<10xf32>
  %e = tensor.empty() : tensor<5xf32>
  return %r : tensor<10xf32>
}

// -----

// The memref changes before the tensor is used for the last time.
func.func @memory_changes(%a: tensor<4xf32>, %m: memref<4xf32>, %f: f32, %i: index) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %x = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // expected-remark @+1 {{stays: the tensor is used later, when the memref may have changed}}
  bufferization.materialize_in_destination %x in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  memref.store %f, %m[%i] : memref<4xf32>
  return %x : tensor<4xf32>
}
