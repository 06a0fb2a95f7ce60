@group(0) @binding(0) var<storage, read> inp: array<f32>;
@group(0) @binding(1) var<storage, read_write> outp: array<f32>;
var<workgroup> shared_sums: array<f32, 8>;

@compute @workgroup_size(8, 1, 1)
fn computeMain(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) local: vec3u, @builtin(workgroup_id) group: vec3u) {
  shared_sums[local.x] = inp[id.x];
  workgroupBarrier();
  for (var step_0 = 4u; step_0 > 0u; step_0 >>= 1u) {
    if (local.x < step_0) {
      shared_sums[local.x] += shared_sums[local.x + step_0];
    }
    workgroupBarrier();
  }
  if (local.x == 0u) {
    outp[group.x] = shared_sums[0];
  }
}
