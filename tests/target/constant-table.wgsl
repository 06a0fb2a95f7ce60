@group(0) @binding(0) var<storage, read> inp: array<f32>;
@group(0) @binding(1) var<storage, read_write> outp: array<f32>;
const weights = array<f32, 5>(0.0625, 0.25, 0.375, 0.25, 0.0625);
const offsets = array<vec2i, 4>(vec2i(0, 1), vec2i(1, 0), vec2i(0, -1), vec2i(-1, 0));

@compute @workgroup_size(4, 1, 1)
fn computeMain(@builtin(global_invocation_id) id: vec3u) {
  var sum = 0.0;
  for (var i = 0; i < 5; i++) {
    sum += weights[i] * inp[id.x + u32(i)];
  }
  let t = id.x * 2u;
  outp[t] = sum;
  outp[t + 1u] = f32(offsets[id.x].x * 2 + offsets[id.x].y);
}
