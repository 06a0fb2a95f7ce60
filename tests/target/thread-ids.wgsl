@group(0) @binding(0) var<storage, read_write> outp: array<u32>;

@compute @workgroup_size(2, 3, 1)
fn computeMain(@builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u, @builtin(local_invocation_index) index: u32) {
  let at = id.y * 4u + id.x;
  let t = id.x + id.y * 10u + group.x * 100u + group.y * 1000u + local.x * 10000u + local.y * 100000u + index * 1000000u;
  outp[at] = t;
}
