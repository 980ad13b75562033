// arguments: [[1, 2], [1, 1], [3, 4]]
// right: [[1, 9]]
// passes: torch-backend-to-linalg-on-tensors-backend-pipeline
// why: the dimension of a scatter_add is a place in a list as it stands, -1 too; along other dimensions it stays in the dialect tm_tensor, which one-shot-bufferize does not take
func.func @main(%x: !torch.vtensor<[2],f32>, %i: !torch.vtensor<[2],si64>, %u: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> {
  %last = torch.constant.int -1
  %0 = torch.aten.scatter_add %x, %last, %i, %u : !torch.vtensor<[2],f32>, !torch.int, !torch.vtensor<[2],si64>, !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  return %0 : !torch.vtensor<[2],f32>
}
