@group(0) @binding(0) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> extremes: array<atomic<i32>>;
@group(0) @binding(2) var<storage, read> inp: array<i32>;

@compute @workgroup_size(4, 1, 1)
fn computeMain(@builtin(global_invocation_id) id: vec3u) {
  atomicAdd(&counts[0], id.x + 1u);
  atomicOr(&counts[1], (1u << id.x));
  let t = inp[id.x];
  atomicMax(&extremes[0], t);
  atomicMin(&extremes[1], t - 10);
  atomicXor(&counts[2], id.x * 3u);
  let t_0 = id.x + 4u;
  let old = atomicAdd(&counts[t_0], 7u);
  atomicStore(&counts[id.x + 8u], atomicLoad(&counts[t_0]) + old);
}
