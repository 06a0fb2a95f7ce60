@group(0) @binding(0) var<storage, read> inp: array<f32>;
@group(0) @binding(1) var<storage, read_write> outp: array<f32>;

@compute @workgroup_size(4, 1, 1)
fn computeMain(@builtin(global_invocation_id) id: vec3u) {
  let k = i32(id.x);
  var y: f32;
  switch (k) {
    case 0: {
      y = inp[0];
    }
    case 1, 2: {
      let y_0 = inp[1] + f32(k);
      if (y_0 > 2.0) {
        y = y_0;
      } else {
        y = y_0 * 3.0;
      }
    }
    default: {
      y = -1.0;
    }
  }
  outp[id.x] = y;
}
