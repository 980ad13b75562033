// RUN: inplace-opt %s --split-input-file --verify-diagnostics --inplace-rewrite-destructive-updates=print-kept=true

// Stores that stay: each for one rule. What ignoring it would do is in test_update_refusals.py.

// What was there before the update is read after it.
func.func @late_read() {
  %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  %out = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<8xf32>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %f = arith.constant 3.0 : f32
  %t = dispatch.load %in : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %t) -> (tensor<8xf32>) {
    %n = tensor.insert %f into %a[%i] : tensor<8xf32>
    // expected-note @+1 {{because of this}}
    %e = tensor.extract %a[%i] : tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  // expected-remark @+1 {{'dispatch.store' stays as it is: result #0 of 'scf.for' is no destructive update: the old version is read after the update}}
  dispatch.store %r, %out : tensor<8xf32> -> !dispatch.writeonly<tensor<8xf32>>
  return
}

// -----

// The loop always runs, the store does not.
func.func @elsewhere() {
  %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  %out = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<8xf32>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %f = arith.constant 3.0 : f32
  %t = dispatch.load %in : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  // expected-note @+1 {{because of this}}
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %t) -> (tensor<8xf32>) {
    %n = tensor.insert %f into %a[%i] : tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  %e = tensor.extract %t[%c0] : tensor<8xf32>
  %p = arith.cmpf ogt, %e, %f : f32
  scf.if %p {
    // expected-remark @+1 {{'dispatch.store' stays as it is: the store is in another block than the loop}}
    dispatch.store %r, %out : tensor<8xf32> -> !dispatch.writeonly<tensor<8xf32>>
  }
  return
}

// -----

// There is nothing to store to when the loop begins.
func.func @late_binding() {
  %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  %out = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<8xf32>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %f = arith.constant 3.0 : f32
  %t = dispatch.load %in : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %t) -> (tensor<8xf32>) {
    %n = tensor.insert %f into %a[%i] : tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  // expected-note @+1 {{because of this}}
  %late = dispatch.binding set(0) binding(2) : !dispatch.writeonly<tensor<8xf32>>
  // expected-remark @+1 {{'dispatch.store' stays as it is: the target does not dominate the loop}}
  dispatch.store %r, %late : tensor<8xf32> -> !dispatch.writeonly<tensor<8xf32>>
  return
}

// -----

// Somebody looks at the target before it is stored to.
func.func @interleaved() {
  %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  %out = dispatch.binding set(0) binding(1) : !dispatch.readwrite<tensor<8xf32>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %f = arith.constant 3.0 : f32
  %t = dispatch.load %in : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %t) -> (tensor<8xf32>) {
    %n = tensor.insert %f into %a[%i] : tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  %old = dispatch.load %out[0] [1] [1] : !dispatch.readwrite<tensor<8xf32>> -> tensor<1xf32>
  // expected-remark @+1 {{'dispatch.store' stays as it is: the target, or an alias of it, may be used between the start of the loop and the store}}
  dispatch.store %r, %out : tensor<8xf32> -> !dispatch.readwrite<tensor<8xf32>>
  dispatch.store %old, %out[1] [1] [1] : tensor<1xf32> -> !dispatch.readwrite<tensor<8xf32>>
  return
}

// -----

// Each iteration reads what the one before stored, and the target must not be loaded from.
func.func @reads_target() {
  %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  %out = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<8xf32>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %f = arith.constant 3.0 : f32
  %c7 = arith.constant 7 : index
  %t = dispatch.load %in : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  %r = scf.for %i = %c0 to %c7 step %c1 iter_args(%a = %t) -> (tensor<8xf32>) {
    %next = arith.addi %i, %c1 : index
    // expected-note @+1 {{because of this}}
    %e = tensor.extract %a[%i] : tensor<8xf32>
    %n = tensor.insert %e into %a[%next] : tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  // expected-remark @+1 {{'dispatch.store' stays as it is: updated elements may be read again, and the target must not be loaded from}}
  dispatch.store %r, %out : tensor<8xf32> -> !dispatch.writeonly<tensor<8xf32>>
  return
}

// -----

// The result is needed otherwise, and the target must not be loaded from.
func.func @other_users() {
  %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  %out = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<8xf32>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %f = arith.constant 3.0 : f32
  %t = dispatch.load %in : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %t) -> (tensor<8xf32>) {
    %n = tensor.insert %f into %a[%i] : tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  // expected-note @+1 {{because of this}}
  %other = dispatch.binding set(0) binding(2) : !dispatch.writeonly<tensor<8xf32>>
  // expected-remark @+1 {{'dispatch.store' stays as it is: the stored value has other users, and the target must not be loaded from}}
  dispatch.store %r, %out : tensor<8xf32> -> !dispatch.writeonly<tensor<8xf32>>
  // expected-remark @+1 {{stays as it is: the target does not dominate the loop}}
  dispatch.store %r, %other : tensor<8xf32> -> !dispatch.writeonly<tensor<8xf32>>
  return
}

// -----

// Workgroups leave out what they should not, and each would copy over what others stored.
func.func @grid() {
  %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  %out = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<8xf32>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %f = arith.constant 3.0 : f32
  %t = dispatch.load %in : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  %x = dispatch.workgroup_id 0 : index
  // expected-note @+1 {{because of this}}
  %r = scf.for %i = %x to %c8 step %c8 iter_args(%a = %t) -> (tensor<8xf32>) {
    %n = tensor.insert %f into %a[%i] : tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  // expected-remark @+1 {{'dispatch.store' stays as it is: the workgroups may not cover the tensor}}
  dispatch.store %r, %out : tensor<8xf32> -> !dispatch.writeonly<tensor<8xf32>>
  return
}

// -----

// A mask leaves out what nobody knows.
func.func @mask() {
  %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  %out = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<8xf32>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %f = arith.constant 3.0 : f32
  %m = vector.create_mask %c0 : vector<1xi1>
  %v = vector.broadcast %f : f32 to vector<1xf32>
  %t = dispatch.load %in : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %t) -> (tensor<8xf32>) {
    // expected-note @+1 {{because of this}}
    %n = vector.transfer_write %v, %a[%i], %m {in_bounds = [true]} : vector<1xf32>, tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  // expected-remark @+1 {{'dispatch.store' stays as it is: a vector transfer is masked, or may be out of bounds}}
  dispatch.store %r, %out : tensor<8xf32> -> !dispatch.writeonly<tensor<8xf32>>
  return
}

// -----

// Anywhere.
func.func @scatter() {
  %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  %out = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<8xf32>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %f = arith.constant 3.0 : f32
  %m = vector.create_mask %c0 : vector<1xi1>
  %w = vector.broadcast %c1 : index to vector<1xindex>
  %v = vector.broadcast %f : f32 to vector<1xf32>
  %t = dispatch.load %in : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %t) -> (tensor<8xf32>) {
    // expected-note @+1 {{because of this}}
    %n = vector.scatter %a[%i][%w], %m, %v : tensor<8xf32>, vector<1xindex>, vector<1xi1>, vector<1xf32> -> tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  // expected-remark @+1 {{'dispatch.store' stays as it is: it is updated by an op that is neither an insertion nor a linalg op}}
  dispatch.store %r, %out : tensor<8xf32> -> !dispatch.writeonly<tensor<8xf32>>
  return
}

// -----

// What a loop stores inside of a thread would be no value.
func.func @in_thread() {
  %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  %out = dispatch.binding set(0) binding(1) : !dispatch.readwrite<tensor<8xf32>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %f = arith.constant 3.0 : f32
  // expected-note @+1 {{because of this 'scf.forall'}}
  scf.forall (%w) = (0) to (8) step (4) {
    %t = dispatch.load %in[%w] [4] [1] : !dispatch.readonly<tensor<8xf32>> -> tensor<4xf32>
    %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %t) -> (tensor<4xf32>) {
      %n = tensor.insert %f into %a[%i] : tensor<4xf32>
      scf.yield %n : tensor<4xf32>
    }
    // expected-remark @+1 {{'dispatch.store' stays as it is: stores inside of an scf.forall must be at the top level of its body}}
    dispatch.store %r, %out[%w] [4] [1] : tensor<4xf32> -> !dispatch.readwrite<tensor<8xf32>>
  }
  return
}

// -----

// Two slices of one thread.
func.func @thread_slices() {
  %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  %out = dispatch.binding set(0) binding(1) : !dispatch.readwrite<tensor<8xf32>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %f = arith.constant 3.0 : f32
  %t = dispatch.load %in : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  // expected-note @+1 {{because of this 'scf.forall'}}
  %r = scf.forall (%i) in (8) shared_outs(%a = %t) -> (tensor<8xf32>) {
    %s = tensor.extract_slice %t[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    %k = affine.apply affine_map<(i) -> (i mod 8)>(%i)
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %a[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
      tensor.parallel_insert_slice %s into %a[%k] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  // expected-remark @+1 {{'dispatch.store' stays as it is: the slices that one thread of an scf.forall inserts may overlap}}
  dispatch.store %r, %out : tensor<8xf32> -> !dispatch.readwrite<tensor<8xf32>>
  return
}

// -----

// Threads read what others store, in the second run of the loop.
func.func @threads() {
  %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  %out = dispatch.binding set(0) binding(1) : !dispatch.readwrite<tensor<8xf32>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %f = arith.constant 3.0 : f32
  %t = dispatch.load %in : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  %r = scf.for %k = %c0 to %c8 step %c1 iter_args(%h = %t) -> (tensor<8xf32>) {
    %q = scf.forall (%i) in (8) shared_outs(%a = %h) -> (tensor<8xf32>) {
      %back = arith.subi %c7, %i : index
      // expected-note @+1 {{because of this 'tensor.extract_slice'}}
      %s = tensor.extract_slice %a[%back] [1] [1] : tensor<8xf32> to tensor<1xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %s into %a[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
      }
    }
    scf.yield %q : tensor<8xf32>
  }
  // expected-remark @+1 {{'dispatch.store' stays as it is: a thread of an scf.forall would read elements of the target that another thread may have stored}}
  dispatch.store %r, %out : tensor<8xf32> -> !dispatch.readwrite<tensor<8xf32>>
  return
}

// -----

// Each workgroup adds up in a tensor of its own.
func.func @grid_reads() {
  %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  %out = dispatch.binding set(0) binding(1) : !dispatch.readwrite<tensor<8xf32>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %f = arith.constant 3.0 : f32
  %x = dispatch.workgroup_id 0 : index
  %e = tensor.empty() : tensor<8xf32>
  %t = dispatch.load %in : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  %q = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %e) -> (tensor<8xf32>) {
    %n = tensor.insert %f into %a[%i] : tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  %r = scf.for %i = %c1 to %c8 step %c1 iter_args(%a = %q) -> (tensor<8xf32>) {
    %before = arith.subi %i, %c1 : index
    // expected-note @+1 {{because of this 'tensor.extract'}}
    %v = tensor.extract %a[%before] : tensor<8xf32>
    %n = tensor.insert %v into %a[%i] : tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  // expected-remark @+1 {{'dispatch.store' stays as it is: a workgroup would read elements of the target that another one may have stored}}
  dispatch.store %r, %out : tensor<8xf32> -> !dispatch.readwrite<tensor<8xf32>>
  return
}

// -----

// Nobody knows what memory this is.
func.func @unknown_binding(%b: !dispatch.readonly<tensor<8xf32>>) {
  %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  %out = dispatch.binding set(0) binding(1) : !dispatch.readwrite<tensor<8xf32>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %f = arith.constant 3.0 : f32
  // expected-remark @+1 {{the stores of the function stay as they are: 'dispatch.load' accesses a binding that is not known to be one}}
  %t = dispatch.load %b : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  dispatch.store %t, %out : tensor<8xf32> -> !dispatch.readwrite<tensor<8xf32>>
  return
}

// -----

// Its bindings are values.
func.func @promoted() {
  %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  %out = dispatch.binding set(0) binding(1) : !dispatch.readwrite<tensor<8xf32>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %f = arith.constant 3.0 : f32
  // expected-remark @+1 {{the stores of the function stay as they are: 'dispatch.contents' has made values of its bindings}}
  %t = dispatch.contents %out : !dispatch.readwrite<tensor<8xf32>> -> tensor<8xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %t) -> (tensor<8xf32>) {
    %n = tensor.insert %f into %a[%i] : tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  dispatch.commit %r, %t : tensor<8xf32>
  return
}

// -----

// A tensor lives in the memref that would be written tile by tile.
func.func @shared(%m: memref<8xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %t = bufferization.to_tensor %m restrict writable : memref<8xf32> to tensor<8xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %t) -> (tensor<8xf32>) {
    %n = tensor.insert %f into %a[%i] : tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  // expected-remark @+1 {{'bufferization.materialize_in_destination' stays as it is: a tensor may alias the target}}
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// What is in the memref before is needed after the loop, where a view of it is loaded from.
func.func @loaded(%t: tensor<8xf32>, %m: memref<8xf32>, %f: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %t) -> (tensor<8xf32>) {
    %n = tensor.insert %f into %a[%i] : tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  %v = memref.subview %m[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  %e = memref.load %v[%c0] : memref<4xf32, strided<[1], offset: 4>>
  // expected-remark @+1 {{stays as it is: the target, or an alias of it, may be used between the start of the loop and the store}}
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<8xf32>, memref<8xf32>) -> ()
  return %e : f32
}

// -----

// Each iteration reads what the one before stored, and no slice of a memref is loaded as a tensor.
func.func @accumulated(%t: tensor<8xf32>, %m: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c1 to %c8 step %c1 iter_args(%a = %t) -> (tensor<8xf32>) {
    %before = arith.subi %i, %c1 : index
    // expected-note @+1 {{because of this 'tensor.extract_slice'}}
    %s = tensor.extract_slice %a[%before] [1] [1] : tensor<8xf32> to tensor<1xf32>
    %e = tensor.extract %s[%c0] : tensor<1xf32>
    %n = tensor.insert %e into %a[%i] : tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  // expected-remark @+1 {{stays as it is: updated elements may be read again, by an op that cannot be replaced by a load}}
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// There is nothing to store to: bufferization updates the memory of both arguments as they are.
func.func @values(%t: tensor<8xf32> {bufferization.writable = true}, %d: tensor<8xf32>, %f: f32) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %t) -> (tensor<8xf32>) {
    %n = tensor.insert %f into %a[%i] : tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  // expected-remark @+1 {{'bufferization.materialize_in_destination' stays as it is: its target is a tensor}}
  %m = bufferization.materialize_in_destination %r in %d : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %q = scf.for %i = %c1 to %c8 step %c1 iter_args(%a = %t) -> (tensor<8xf32>) {
    %n = tensor.insert %f into %a[%i] : tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  // expected-remark @+1 {{'func.return' stays as it is: its target is a tensor: bufferization decides whether it is updated in place}}
  return %m, %q : tensor<8xf32>, tensor<8xf32>
}
