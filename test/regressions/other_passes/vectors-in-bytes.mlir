// LLVM packs vectors of i1 in memory, but not the elements of memrefs: transfers read and wrote other elements.
// ARGUMENTS: random random 5 true
// ARGUMENTS: random random 0 false
#swap = affine_map<(d0, d1) -> (d1, d0)>
func.func @main(%t: tensor<3x16xi1>, %k: tensor<16xi1>, %i: index, %c: i1)
    -> (tensor<16xi1>, tensor<3x16xi1>, tensor<16xi1>, tensor<16x3xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<16xi1>
  %f = linalg.fill ins(%c : i1) outs(%e : tensor<16xi1>) -> tensor<16xi1>
  %v = vector.transfer_read %k[%i], %c : tensor<16xi1>, vector<16xi1>
  %r0 = vector.transfer_write %v, %f[%i] : vector<16xi1>, tensor<16xi1>

  %w = vector.transfer_read %t[%c1, %i], %c : tensor<3x16xi1>, vector<2x8xi1>
  %r1 = vector.transfer_write %w, %t[%c0, %c1] : vector<2x8xi1>, tensor<3x16xi1>

  %m = vector.create_mask %i : vector<8xi1>
  %s = tensor.extract_slice %t[2, 0] [1, 16] [1, 1] : tensor<3x16xi1> to tensor<16xi1>
  %x = vector.transfer_read %s[%c1], %c, %m : tensor<16xi1>, vector<8xi1>
  %r2 = vector.transfer_write %x, %s[%i], %m : vector<8xi1>, tensor<16xi1>

  %p = vector.transfer_read %t[%c0, %c0], %c {permutation_map = #swap, in_bounds = [true, true]} : tensor<3x16xi1>, vector<16x3xi1>
  %d = tensor.empty() : tensor<16x3xi1>
  %r3 = vector.transfer_write %p, %d[%c0, %c0] {in_bounds = [true, true]} : vector<16x3xi1>, tensor<16x3xi1>
  return %r0, %r1, %r2, %r3 : tensor<16xi1>, tensor<3x16xi1>, tensor<16xi1>, tensor<16x3xi1>
}
