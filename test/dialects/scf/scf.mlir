// RUN: inplace-opt %s --allow-unregistered-dialect --inplace-one-shot-bufferize=bufferize-function-boundaries | filecheck %s

// CHECK-LABEL: func.func @loop(
// CHECK-SAME:    %[[T:.*]]: memref<
// CHECK:         scf.for %[[I:.*]] = %c0 to %{{.*}} step %c1 {
// CHECK-NEXT:    memref.store %{{.*}}, %[[T]][%[[I]]]
// CHECK-NEXT:    } {kept}
// CHECK-NEXT:    return %[[T]]
func.func @loop(%t: tensor<8xf32>, %f: f32, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> tensor<8xf32> {
    %1 = tensor.insert %f into %a[%i] : tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  } {kept}
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @loop_with_scalars(
// CHECK-SAME:    %[[T:.*]]: memref<
// CHECK:         %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}}) -> (f32, f32) {
// CHECK-NEXT:    %[[V:.*]] = memref.load %[[T]]
// CHECK-NEXT:    %[[S:.*]] = arith.addf %[[X]], %[[V]]
// CHECK-NEXT:    memref.store %[[S]], %[[T]]
// CHECK-NEXT:    scf.yield %[[S]], %[[X]] : f32, f32
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]]#0, %[[T]], %[[R]]#1
func.func @loop_with_scalars(%t: tensor<8xf32>, %f: f32, %n: index) -> (f32, tensor<8xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:3 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %f, %a = %t, %y = %f) -> (f32, tensor<8xf32>, f32) {
    %1 = tensor.extract %a[%i] : tensor<8xf32>
    %2 = arith.addf %x, %1 : f32
    %3 = tensor.insert %2 into %a[%i] : tensor<8xf32>
    scf.yield %2, %3, %x : f32, tensor<8xf32>, f32
  }
  return %0#0, %0#1, %0#2 : f32, tensor<8xf32>, f32
}

// CHECK-LABEL: func.func @loop_on_a_copy(
// CHECK-SAME:    %[[T:.*]]: memref<
// CHECK:         %[[A:.*]] = memref.alloc()
// CHECK-NEXT:    memref.copy %[[T]], %[[A]]
// CHECK-NEXT:    scf.for {{.*}} step %c1 {
// CHECK-NEXT:    memref.store %{{.*}}, %[[A]][
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[A]], %[[T]]
func.func @loop_on_a_copy(%t: tensor<8xf32>, %f: f32, %n: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> tensor<8xf32> {
    %1 = tensor.insert %f into %a[%i] : tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  }
  return %0, %t : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @copy_in_every_iteration(
// CHECK-SAME:    %[[T:.*]]: memref<
// CHECK:         scf.for {{.*}} -> (f32) {
// CHECK-NEXT:    %[[A:.*]] = memref.alloc()
// CHECK-NEXT:    memref.copy %[[T]], %[[A]]
// CHECK-NEXT:    memref.store %{{.*}}, %[[A]][
// CHECK-NEXT:    memref.load %[[A]][%c0]
func.func @copy_in_every_iteration(%t: tensor<8xf32>, %f: f32, %n: index, %s: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %s) -> f32 {
    %1 = tensor.insert %f into %t[%i] : tensor<8xf32>
    %2 = tensor.extract %1[%c0] : tensor<8xf32>
    %3 = arith.addf %x, %2 : f32
    scf.yield %3 : f32
  }
  return %0 : f32
}

// CHECK-LABEL: func.func @swap(
// CHECK-SAME:    %[[T:.*]]: memref<{{.*}}, %[[U:.*]]: memref<
// CHECK:         %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[A:.*]] = %[[T]], %[[B:.*]] = %[[U]])
// CHECK-NEXT:    linalg.exp ins(%[[A]] : {{.*}}) outs(%[[B]] :
// CHECK-NEXT:    scf.yield %[[B]], %[[A]] : memref<8xf32, strided<[?], offset: ?>>, memref<8xf32, strided<[?], offset: ?>>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]]#0, %[[R]]#1
func.func @swap(%t: tensor<8xf32>, %u: tensor<8xf32>, %n: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t, %b = %u) -> (tensor<8xf32>, tensor<8xf32>) {
    %1 = linalg.exp ins(%a : tensor<8xf32>) outs(%b : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %1, %a : tensor<8xf32>, tensor<8xf32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @swap_of_new_buffers(
// CHECK:         scf.for {{.*}} -> (memref<8xf32>, memref<8xf32>) {
// CHECK-NEXT:    linalg.exp
// CHECK-NEXT:    scf.yield
// CHECK-NEXT:    }
func.func @swap_of_new_buffers(%f: f32, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tensor.splat %f : tensor<8xf32>
  %u = tensor.empty() : tensor<8xf32>
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t, %b = %u) -> (tensor<8xf32>, tensor<8xf32>) {
    %1 = linalg.exp ins(%a : tensor<8xf32>) outs(%b : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %1, %a : tensor<8xf32>, tensor<8xf32>
  }
  return %0#0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @swap_of_one_tensor(
// CHECK-SAME:    %[[T:.*]]: memref<
// CHECK:         %[[A:.*]] = memref.alloc()
// CHECK-NEXT:    memref.copy %[[T]], %[[A]]
// CHECK-NEXT:    %[[C:.*]] = memref.cast %[[A]]
// CHECK-NEXT:    scf.for {{.*}} iter_args(%{{.*}} = %[[T]], %{{.*}} = %[[C]])
func.func @swap_of_one_tensor(%t: tensor<8xf32>, %f: f32, %n: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t, %b = %t) -> (tensor<8xf32>, tensor<8xf32>) {
    %1 = tensor.insert %f into %a[%c0] : tensor<8xf32>
    scf.yield %b, %1 : tensor<8xf32>, tensor<8xf32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}

// Nothing is written, so both may be one buffer.
// CHECK-LABEL: func.func @swap_of_one_unwritten_tensor(
// CHECK-SAME:    %[[T:.*]]: memref<
// CHECK-NOT:     memref.alloc
// CHECK:         scf.for {{.*}} iter_args(%[[A:.*]] = %[[T]], %[[B:.*]] = %[[T]])
// CHECK-NEXT:    scf.yield %[[B]], %[[A]]
func.func @swap_of_one_unwritten_tensor(%t: tensor<8xf32>, %n: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t, %b = %t) -> (tensor<8xf32>, tensor<8xf32>) {
    scf.yield %b, %a : tensor<8xf32>, tensor<8xf32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}

// Nothing is written, so the loop goes on with %u itself.
// CHECK-LABEL: func.func @captured_passed_on(
// CHECK-SAME:    %[[T:.*]]: memref<{{.*}}, %[[U:.*]]: memref<
// CHECK:         %[[R:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[T]])
// CHECK-NEXT:    scf.yield %[[U]]
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]]
func.func @captured_passed_on(%t: tensor<8xf32>, %u: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> tensor<8xf32> {
    scf.yield %u : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// The loop writes what it carries, which must not become %u, as that is returned too.
// CHECK-LABEL: func.func @copy_to_what_is_carried(
// CHECK-SAME:    %[[T:.*]]: memref<{{.*}}, %[[U:.*]]: memref<
// CHECK:         scf.for {{.*}} step %c1 {
// CHECK-NEXT:    memref.load %[[T]]
// CHECK:         memref.store {{.*}}, %[[T]]
// CHECK-NEXT:    memref.load %[[T]]
// CHECK-NEXT:    "test.keep"
// CHECK-NEXT:    memref.copy %[[U]], %[[T]]
// CHECK:         return %[[T]], %[[U]]
func.func @copy_to_what_is_carried(%t: tensor<8xf32>, %u: tensor<8xf32>, %n: index)
    -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> tensor<8xf32> {
    %1 = tensor.extract %a[%c1] : tensor<8xf32>
    %2 = arith.addf %1, %1 : f32
    %3 = tensor.insert %2 into %a[%i] : tensor<8xf32>
    %4 = tensor.extract %3[%c0] : tensor<8xf32>
    "test.keep"(%4) : (f32) -> ()
    scf.yield %u : tensor<8xf32>
  }
  return %0, %u : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @choice_passed_on(
// CHECK-SAME:    %[[T:.*]]: memref<{{.*}}, %[[U:.*]]: memref<
// CHECK:         %[[R:.*]] = scf.for {{.*}} iter_args(%[[A:.*]] = %[[T]])
// CHECK-NEXT:    %[[S:.*]] = arith.select %{{.*}}, %[[A]], %[[U]]
// CHECK-NEXT:    scf.yield %[[S]]
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]]
func.func @choice_passed_on(%t: tensor<8xf32>, %u: tensor<8xf32>, %n: index, %p: i1) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> tensor<8xf32> {
    %1 = arith.select %p, %a, %u : tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @tiles(
// CHECK-SAME:    %[[T:.*]]: memref<8x8xf32
// CHECK:         scf.for %[[I:.*]] = {{.*}} {
// CHECK-NEXT:    scf.for %[[J:.*]] = {{.*}} {
// CHECK-NEXT:    %[[S:.*]] = memref.subview %[[T]][%[[I]], %[[J]]] [2, 2] [1, 1]
// CHECK-NEXT:    linalg.exp ins(%[[S]] : {{.*}}) outs(%[[S]] :
// CHECK-NEXT:    }
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[T]]
func.func @tiles(%t: tensor<8x8xf32>, %n: index) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %0 = scf.for %i = %c0 to %c8 step %c2 iter_args(%a = %t) -> tensor<8x8xf32> {
    %1 = scf.for %j = %c0 to %c8 step %c2 iter_args(%b = %a) -> tensor<8x8xf32> {
      %2 = tensor.extract_slice %b[%i, %j] [2, 2] [1, 1] : tensor<8x8xf32> to tensor<2x2xf32>
      %3 = linalg.exp ins(%2 : tensor<2x2xf32>) outs(%2 : tensor<2x2xf32>) -> tensor<2x2xf32>
      %4 = tensor.insert_slice %3 into %b[%i, %j] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<8x8xf32>
      scf.yield %4 : tensor<8x8xf32>
    }
    scf.yield %1 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @branches_in_one_buffer(
// CHECK-SAME:    %[[T:.*]]: memref<
// CHECK-NEXT:    scf.if %{{.*}} {
// CHECK-NEXT:    memref.store %{{.*}}, %[[T]][
// CHECK-NEXT:    } else {
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[T]]
func.func @branches_in_one_buffer(%t: tensor<8xf32>, %f: f32, %i: index, %p: i1) -> tensor<8xf32> {
  %0 = scf.if %p -> tensor<8xf32> {
    %1 = tensor.insert %f into %t[%i] : tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  } else {
    scf.yield %t : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @branches_in_two_buffers(
// CHECK-SAME:    %[[T:.*]]: memref<
// CHECK-NEXT:    %[[R:.*]]:2 = scf.if %{{.*}} -> (memref<8xf32, strided<[?], offset: ?>>, f32) {
// CHECK-NEXT:    %[[A:.*]] = memref.alloc()
// CHECK-NEXT:    linalg.fill
// CHECK-NEXT:    %[[C:.*]] = memref.cast %[[A]]
// CHECK-NEXT:    scf.yield %[[C]], %{{.*}}
// CHECK-NEXT:    } else {
// CHECK-NEXT:    arith.addf
// CHECK-NEXT:    scf.yield %[[T]], %{{.*}}
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]]#0, %[[R]]#1
func.func @branches_in_two_buffers(%t: tensor<8xf32>, %f: f32, %p: i1) -> (tensor<8xf32>, f32) {
  %0:2 = scf.if %p -> (tensor<8xf32>, f32) {
    %1 = tensor.splat %f : tensor<8xf32>
    scf.yield %1, %f : tensor<8xf32>, f32
  } else {
    %2 = arith.addf %f, %f : f32
    scf.yield %t, %2 : tensor<8xf32>, f32
  }
  return %0#0, %0#1 : tensor<8xf32>, f32
}

// CHECK-LABEL: func.func @branches_of_one_type(
// CHECK-NEXT:    %[[R:.*]] = scf.if %{{.*}} -> (memref<8xf32>) {
func.func @branches_of_one_type(%f: f32, %p: i1) -> tensor<8xf32> {
  %0 = scf.if %p -> tensor<8xf32> {
    %1 = tensor.splat %f : tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  } else {
    %2 = arith.constant dense<0.0> : tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// Only the branch that yields what is read later copies.
// CHECK-LABEL: func.func @written_after_the_branches(
// CHECK-SAME:    %[[T:.*]]: memref<{{.*}}, %[[U:.*]]: memref<
// CHECK-NEXT:    %[[R:.*]] = scf.if
// CHECK-NEXT:    scf.yield %[[T]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:    %[[A:.*]] = memref.alloc()
// CHECK-NEXT:    memref.copy %[[U]], %[[A]]
// CHECK-NEXT:    %[[C:.*]] = memref.cast %[[A]]
// CHECK-NEXT:    scf.yield %[[C]]
// CHECK-NEXT:    }
// CHECK-NEXT:    memref.store %{{.*}}, %[[R]][
// CHECK-NEXT:    return %[[R]], %[[U]]
func.func @written_after_the_branches(%t: tensor<8xf32>, %u: tensor<8xf32>, %f: f32, %i: index, %p: i1)
    -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = scf.if %p -> tensor<8xf32> {
    scf.yield %t : tensor<8xf32>
  } else {
    scf.yield %u : tensor<8xf32>
  }
  %1 = tensor.insert %f into %0[%i] : tensor<8xf32>
  return %1, %u : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @branch_without_results(
// CHECK-SAME:    %[[T:.*]]: memref<8xf32
// CHECK-NEXT:    scf.if %{{.*}} {
// CHECK-NEXT:    memref.load %[[T]][
func.func @branch_without_results(%t: tensor<8xf32>, %p: i1, %m: memref<f32>, %i: index) {
  scf.if %p {
    %0 = tensor.extract %t[%i] : tensor<8xf32>
    memref.store %0, %m[] : memref<f32>
  }
  return
}

// CHECK-LABEL: func.func @execute_region(
// CHECK-SAME:    %[[T:.*]]: memref<{{.*}}, %[[F:.*]]: f32
// CHECK-NEXT:    %[[R:.*]] = scf.execute_region -> f32 {
// CHECK-NEXT:    memref.store %[[F]], %[[T]][
// CHECK-NEXT:    scf.yield %[[F]]
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[T]], %[[R]]
func.func @execute_region(%t: tensor<8xf32>, %f: f32, %i: index) -> (tensor<8xf32>, f32) {
  %0:2 = scf.execute_region -> (tensor<8xf32>, f32) {
    %1 = tensor.insert %f into %t[%i] : tensor<8xf32>
    scf.yield %1, %f : tensor<8xf32>, f32
  }
  return %0#0, %0#1 : tensor<8xf32>, f32
}

// CHECK-LABEL: func.func @index_switch(
// CHECK-SAME:    %[[T:.*]]: memref<{{.*}}, %[[U:.*]]: memref<
// CHECK-NEXT:    %[[R:.*]] = scf.index_switch %{{.*}} -> memref<
// CHECK:         memref.store %{{.*}}, %[[T]][
// CHECK-NEXT:    scf.yield %[[T]]
// CHECK:         case 3 {
// CHECK-NEXT:    scf.yield %[[T]]
// CHECK:         default {
// CHECK-NEXT:    scf.yield %[[U]]
// CHECK:         return %[[R]]
func.func @index_switch(%t: tensor<8xf32>, %u: tensor<8xf32>, %f: f32, %i: index) -> tensor<8xf32> {
  %0 = scf.index_switch %i -> tensor<8xf32>
  case 0 {
    %1 = tensor.insert %f into %t[%i] : tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  }
  case 3 {
    scf.yield %t : tensor<8xf32>
  }
  default {
    scf.yield %u : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @index_switch_on_one_buffer(
// CHECK-SAME:    %[[T:.*]]: memref<
// CHECK-NEXT:    scf.index_switch
// CHECK-NOT:     memref.alloc
// CHECK:         memref.store %{{.*}}, %[[T]][
// CHECK-NOT:     memref.alloc
// CHECK:         linalg.fill {{.*}} outs(%[[T]] :
// CHECK:         return %[[T]]
func.func @index_switch_on_one_buffer(%t: tensor<8xf32>, %f: f32, %i: index) -> tensor<8xf32> {
  %0 = scf.index_switch %i -> tensor<8xf32>
  case 0 {
    %1 = tensor.insert %f into %t[%i] : tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  }
  default {
    %2 = tensor.extract %t[%i] : tensor<8xf32>
    %3 = linalg.fill ins(%2 : f32) outs(%t : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %3 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
