struct f32_slot {
  @align(16) value: f32,
}

struct f32x2_slot {
  @align(16) value: vec2f,
}

struct Light {
  direction: vec3f,
  power: f32,
}

struct GlobalParams_uniform {
  scale: f32,
  count: i32,
  bias: vec3f,
  enabled: u32,
  @align(16) weights: array<f32_slot, 3>,
  @align(16) turn: array<f32x2_slot, 2>,
  light: Light,
}

@group(0) @binding(0) var<uniform> globalParams: GlobalParams_uniform;
@group(0) @binding(1) var<storage, read_write> outp: array<f32>;

@compute @workgroup_size(4, 1, 1)
fn computeMain(@builtin(global_invocation_id) id: vec3u) {
  let t = globalParams.count;
  let sum = globalParams.weights[0].value * f32(t) + 0.0;
  let sum_0 = sum + globalParams.weights[1].value * f32(t + 1);
  let sum_1 = sum_0 + globalParams.weights[2].value * f32(t + 2);
  let t_0 = globalParams.bias;
  let v = t_0.xy * mat2x2f(globalParams.turn[0].value, globalParams.turn[1].value);
  var sum_2 = sum_1;
  if (globalParams.enabled != 0u) {
    sum_2 = sum_1 * globalParams.scale;
  }
  let t_1 = sum_2 + v.x + v.y * 2.0 + dot(globalParams.light.direction, t_0) * globalParams.light.power + f32(id.x);
  outp[id.x] = t_1;
}
