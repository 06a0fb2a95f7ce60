struct Small_uniform {
  @align(16) a: f32,
}

struct f32x2_slot {
  @align(16) value: vec2f,
}

struct Params_uniform {
  gain: f32,
  @align(16) small: Small_uniform,
  after: f32,
  @align(16) pairs: array<f32x2_slot, 2>,
  basis: mat3x3f,
  @align(16) many: array<Small_uniform, 3>,
  last: u32,
}

struct Extra_1 {
  tint: vec4f,
  shade: f32,
}

@group(0) @binding(0) var<uniform> params: Params_uniform;
@group(0) @binding(1) var<uniform> Extra: Extra_1;
@group(0) @binding(2) var<storage, read_write> outp: array<f32>;

@compute @workgroup_size(4, 1, 1)
fn computeMain(@builtin(global_invocation_id) id: vec3u) {
  let v = vec3f(1.0, 2.0, 3.0) * params.basis;
  let t = id.x * 4u;
  outp[t] = params.gain + params.small.a * 10.0 + params.after * 100.0;
  outp[t + 1u] = params.pairs[id.x & 1u].value.y + v.x + v.y + v.z;
  let all_a = params.many[0].a;
  let all_a_0 = params.many[1].a;
  let all_a_1 = params.many[2].a;
  outp[t + 2u] = all_a + all_a_0 * 2.0 + all_a_1 * 3.0 + f32(params.last);
  outp[t + 3u] = Extra.tint.z * Extra.shade;
}
