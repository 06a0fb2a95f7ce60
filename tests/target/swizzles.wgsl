@group(0) @binding(0) var<storage, read> inp: array<f32>;
@group(0) @binding(1) var<storage, read_write> outp: array<f32>;

@compute @workgroup_size(4, 1, 1)
fn computeMain(@builtin(global_invocation_id) id: vec3u) {
  let s = inp[id.x + 2u];
  let t = id.x * 6u;
  outp[t] = 1.0;
  outp[t + 1u] = 11.0;
  outp[t + 2u] = 3.0;
  outp[t + 3u] = 23.0;
  outp[t + 4u] = inp[id.x + 1u] + 23.0;
  outp[t + 5u] = s + s;
}
