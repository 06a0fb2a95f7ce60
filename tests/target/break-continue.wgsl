@group(0) @binding(0) var<storage, read> inp: array<f32>;
@group(0) @binding(1) var<storage, read_write> outp: array<f32>;

@compute @workgroup_size(4, 1, 1)
fn computeMain(@builtin(global_invocation_id) id: vec3u) {
  var sum = 0.0;
  for (var i = 0; i < 12; i++) {
    let x = inp[id.x + u32(i)];
    if (!(x < 0.2)) {
      let sum_0 = sum + x;
      if (sum_0 > 2.5) {
        sum = sum_0;
        break;
      }
      let sum_1 = sum_0 + 0.125;
      sum = select(sum_1, sum_0, i % 2 == 0);
    }
  }
  outp[id.x] = sum;
}
