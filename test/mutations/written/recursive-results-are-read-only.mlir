// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: 
// protects: yes
// runs: [[["int64", null, 0], ["f", null, 7.5]], [["int64", null, 1], ["f", null, 7.5]]]
func.func private @v0(%n: index, %x: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.cmpi eq, %n, %c0 : index
  %r = scf.if %p -> (tensor<4xf32>) {
    %k = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    scf.yield %k : tensor<4xf32>
  } else {
    %m = arith.subi %n, %c1 : index
    %q = func.call @v1(%m, %x) : (index, f32) -> tensor<4xf32>
    %w = tensor.insert %x into %q[%c0] : tensor<4xf32>
    scf.yield %w : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
func.func private @v1(%n: index, %x: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %p = arith.cmpi ne, %n, %n : index
  scf.if %p {
    %q = func.call @v2(%c0, %x) : (index, f32) -> tensor<4xf32>
  }
  %r = func.call @v0(%n, %x) : (index, f32) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @v2(%n: index, %x: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %p = arith.cmpi ne, %n, %n : index
  scf.if %p {
    %q = func.call @v3(%c0, %x) : (index, f32) -> tensor<4xf32>
  }
  %r = func.call @v1(%n, %x) : (index, f32) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @v3(%n: index, %x: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %p = arith.cmpi ne, %n, %n : index
  scf.if %p {
    %q = func.call @v4(%c0, %x) : (index, f32) -> tensor<4xf32>
  }
  %r = func.call @v2(%n, %x) : (index, f32) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @v4(%n: index, %x: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %p = arith.cmpi ne, %n, %n : index
  scf.if %p {
    %q = func.call @v5(%c0, %x) : (index, f32) -> tensor<4xf32>
  }
  %r = func.call @v3(%n, %x) : (index, f32) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @v5(%n: index, %x: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %p = arith.cmpi ne, %n, %n : index
  scf.if %p {
    %q = func.call @v6(%c0, %x) : (index, f32) -> tensor<4xf32>
  }
  %r = func.call @v4(%n, %x) : (index, f32) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @v6(%n: index, %x: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %p = arith.cmpi ne, %n, %n : index
  scf.if %p {
    %q = func.call @v7(%c0, %x) : (index, f32) -> tensor<4xf32>
  }
  %r = func.call @v5(%n, %x) : (index, f32) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @v7(%n: index, %x: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %p = arith.cmpi ne, %n, %n : index
  scf.if %p {
    %q = func.call @v8(%c0, %x) : (index, f32) -> tensor<4xf32>
  }
  %r = func.call @v6(%n, %x) : (index, f32) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @v8(%n: index, %x: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %p = arith.cmpi ne, %n, %n : index
  scf.if %p {
    %q = func.call @v9(%c0, %x) : (index, f32) -> tensor<4xf32>
  }
  %r = func.call @v7(%n, %x) : (index, f32) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @v9(%n: index, %x: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %p = arith.cmpi ne, %n, %n : index
  scf.if %p {
    %q = func.call @v10(%c0, %x) : (index, f32) -> tensor<4xf32>
  }
  %r = func.call @v8(%n, %x) : (index, f32) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @v10(%n: index, %x: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %p = arith.cmpi ne, %n, %n : index
  scf.if %p {
    }
  %r = func.call @v9(%n, %x) : (index, f32) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @main(%n: index, %x: f32) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  %r = func.call @v10(%n, %x) : (index, f32) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
