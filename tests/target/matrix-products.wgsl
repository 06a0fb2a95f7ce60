@group(0) @binding(0) var<storage, read> inp: array<f32>;
@group(0) @binding(1) var<storage, read_write> outp: array<f32>;

@compute @workgroup_size(4, 1, 1)
fn computeMain(@builtin(global_invocation_id) id: vec3u) {
  let a = mat2x3f(vec3f(inp[0], inp[1], inp[2]), vec3f(inp[3], inp[4], inp[5]));
  let b = transpose(a) * 2.0;
  let c = b * a;
  let v = vec3f(inp[id.x], inp[id.x + 1u], inp[id.x + 2u]);
  let w = v * a;
  let r = a * w;
  let t = id.x * 5u;
  outp[t] = c[0].x;
  outp[t + 1u] = c[1].x + c[0].y;
  outp[t + 2u] = w.x + w.y * 10.0;
  outp[t + 3u] = r.x + r.y;
  outp[t + 4u] = r.z;
}
