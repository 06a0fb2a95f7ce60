@group(0) @binding(0) var<storage, read_write> sums: array<f32>;
@group(0) @binding(1) var<storage, read> values: array<f32>;
var<private> sums_1: array<f32, 300>;
var<private> values_0: array<f32, 300>;
var<private> values_1: array<f32, 300>;

@compute @workgroup_size(4, 1, 1)
fn computeMain(@builtin(global_invocation_id) id: vec3u) {
  let t = sums[id.x];
  for (var k = 0; k < 300; k++) {
    sums_1[k] = f32(k) * values[u32(k & 3)] + t;
  }
  values_0 = array<f32, 300>();
  values_0[id.x] = 2.0;
  let t_0 = sums_1[id.x * 3u] + values_0[id.x + 1u] + 2.0;
  sums[id.x] = t_0;
  if (t_0 > 3.0) {
    var values_2 = array<f32, 400>();
    values_2[id.x] = 3.0;
    sums[id.x] = t_0 + (values_2[id.x + 4u] + 3.0);
  }
  for (var n = 0u; n < id.x; n++) {
    var values_3 = array<f32, 500>();
    let t_1 = sums[id.x];
    let t_2 = select(0, 1, (f32(n) + t_1 > 0.0));
    values_3[t_2] += 1.0;
    sums[id.x] = t_1 + (values_3[1] + values_3[2]);
  }
}

@compute @workgroup_size(4, 1, 1)
fn again(@builtin(global_invocation_id) id: vec3u) {
  values_1 = array<f32, 300>();
  values_1[id.x] = 1.0;
  sums[id.x] = values_1[id.x + 5u] + 1.0;
}
