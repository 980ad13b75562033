// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [4], 1], ["int64", null, 3], ["f", null, 0.25]]]
        func.func @main(%t: tensor<4xf32>, %n: index, %f: f32) -> f32 {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %zero = arith.constant 0.0 : f32
          %w = tensor.insert %f into %t[%c1] : tensor<4xf32>
          %p = arith.cmpi eq, %n, %c0 : index
          %start = scf.if %p -> (f32) {
            scf.yield %zero : f32
          } else {
            scf.yield %f : f32
          }
          %r:2 = scf.while (%i = %c0, %sum = %start) : (index, f32) -> (index, f32) {
            %one_and_a_half = arith.constant 1.5 : f32
%x0 = arith.addf %f, %zero : f32
%x1 = arith.mulf %x0, %one_and_a_half : f32
%x2 = arith.mulf %x1, %one_and_a_half : f32
%x3 = arith.mulf %x2, %one_and_a_half : f32
%x4 = arith.mulf %x3, %one_and_a_half : f32
%x5 = arith.mulf %x4, %one_and_a_half : f32
%x6 = arith.mulf %x5, %one_and_a_half : f32
%x7 = arith.mulf %x6, %one_and_a_half : f32
%x8 = arith.mulf %x7, %one_and_a_half : f32
%x9 = arith.mulf %x8, %one_and_a_half : f32
%x10 = arith.mulf %x9, %one_and_a_half : f32
%x11 = arith.mulf %x10, %one_and_a_half : f32
%x12 = arith.mulf %x11, %one_and_a_half : f32
%x13 = arith.mulf %x12, %one_and_a_half : f32
%x14 = arith.mulf %x13, %one_and_a_half : f32
%x15 = arith.mulf %x14, %one_and_a_half : f32
%x16 = arith.mulf %x15, %one_and_a_half : f32
%x17 = arith.mulf %x16, %one_and_a_half : f32
%x18 = arith.mulf %x17, %one_and_a_half : f32
%x19 = arith.mulf %x18, %one_and_a_half : f32
%x20 = arith.mulf %x19, %one_and_a_half : f32
%x21 = arith.mulf %x20, %one_and_a_half : f32
%x22 = arith.mulf %x21, %one_and_a_half : f32
%x23 = arith.mulf %x22, %one_and_a_half : f32
%x24 = arith.mulf %x23, %one_and_a_half : f32
%x25 = arith.mulf %x24, %one_and_a_half : f32
%x26 = arith.mulf %x25, %one_and_a_half : f32
%x27 = arith.mulf %x26, %one_and_a_half : f32
%x28 = arith.mulf %x27, %one_and_a_half : f32
%x29 = arith.mulf %x28, %one_and_a_half : f32
%x30 = arith.mulf %x29, %one_and_a_half : f32
%x31 = arith.mulf %x30, %one_and_a_half : f32
%x32 = arith.mulf %x31, %one_and_a_half : f32
%x33 = arith.mulf %x32, %one_and_a_half : f32
%x34 = arith.mulf %x33, %one_and_a_half : f32
%x35 = arith.mulf %x34, %one_and_a_half : f32
%x36 = arith.mulf %x35, %one_and_a_half : f32
%x37 = arith.mulf %x36, %one_and_a_half : f32
%x38 = arith.mulf %x37, %one_and_a_half : f32
%x39 = arith.mulf %x38, %one_and_a_half : f32
%x40 = arith.mulf %x39, %one_and_a_half : f32
%x41 = arith.mulf %x40, %one_and_a_half : f32
%x42 = arith.mulf %x41, %one_and_a_half : f32
%x43 = arith.mulf %x42, %one_and_a_half : f32
%x44 = arith.mulf %x43, %one_and_a_half : f32
%x45 = arith.mulf %x44, %one_and_a_half : f32
%x46 = arith.mulf %x45, %one_and_a_half : f32
%x47 = arith.mulf %x46, %one_and_a_half : f32
%x48 = arith.mulf %x47, %one_and_a_half : f32
%x49 = arith.mulf %x48, %one_and_a_half : f32
%x50 = arith.mulf %x49, %one_and_a_half : f32
%x51 = arith.mulf %x50, %one_and_a_half : f32
%x52 = arith.mulf %x51, %one_and_a_half : f32
%x53 = arith.mulf %x52, %one_and_a_half : f32
%x54 = arith.mulf %x53, %one_and_a_half : f32
%x55 = arith.mulf %x54, %one_and_a_half : f32
%x56 = arith.mulf %x55, %one_and_a_half : f32
%x57 = arith.mulf %x56, %one_and_a_half : f32
%x58 = arith.mulf %x57, %one_and_a_half : f32
%x59 = arith.mulf %x58, %one_and_a_half : f32
%x60 = arith.mulf %x59, %one_and_a_half : f32
%x61 = arith.mulf %x60, %one_and_a_half : f32
%x62 = arith.mulf %x61, %one_and_a_half : f32
%x63 = arith.mulf %x62, %one_and_a_half : f32
%x64 = arith.mulf %x63, %one_and_a_half : f32
%x65 = arith.mulf %x64, %one_and_a_half : f32
%x66 = arith.mulf %x65, %one_and_a_half : f32
%x67 = arith.mulf %x66, %one_and_a_half : f32
%x68 = arith.mulf %x67, %one_and_a_half : f32
%x69 = arith.mulf %x68, %one_and_a_half : f32
%x70 = arith.mulf %x69, %one_and_a_half : f32
%x71 = arith.mulf %x70, %one_and_a_half : f32
%x72 = arith.mulf %x71, %one_and_a_half : f32
%x73 = arith.mulf %x72, %one_and_a_half : f32
%x74 = arith.mulf %x73, %one_and_a_half : f32
%x75 = arith.mulf %x74, %one_and_a_half : f32
%x76 = arith.mulf %x75, %one_and_a_half : f32
%x77 = arith.mulf %x76, %one_and_a_half : f32
%x78 = arith.mulf %x77, %one_and_a_half : f32
%x79 = arith.mulf %x78, %one_and_a_half : f32
            %u = tensor.insert %x79 into %w[%c0] : tensor<4xf32>
            %k = arith.subi %i, %i : index
            %e = tensor.extract %u[%k] : tensor<4xf32>
            %s = arith.addf %sum, %e : f32
            %more = arith.cmpi slt, %i, %n : index
            scf.condition(%more) %i, %s : index, f32
          } do {
          ^bb0(%i: index, %sum: f32):
            %e = tensor.extract %w[%c0] : tensor<4xf32>
            %s = arith.addf %sum, %e : f32
            %next = arith.addi %i, %c1 : index
            scf.yield %next, %s : index, f32
          }
          return %r#1 : f32
        }
