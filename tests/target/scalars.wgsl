@group(0) @binding(0) var<storage, read> inp: array<f32>;
@group(0) @binding(1) var<storage, read_write> outp: array<f32>;

@compute @workgroup_size(4, 1, 1)
fn computeMain(@builtin(global_invocation_id) id: vec3u) {
  let x = inp[id.x];
  let t = x * 4.0;
  let i = select(i32(t), 2147483647, (t >= 2147483600.0));
  let u = u32(i + 20);
  let b = x > 0.5;
  outp[id.x] = f32(i) + f32(u) * 0.5 + select(0.0, 1.0, b);
}
