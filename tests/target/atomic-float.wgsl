@group(0) @binding(0) var<storage, read_write> sums: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read> inp: array<f32>;

fn sums_add(index: u32, value: f32) -> f32 {
  var old = atomicLoad(&sums[index]);
  loop {
    let tried = atomicCompareExchangeWeak(&sums[index], old, bitcast<u32>(bitcast<f32>(old) + value));
    if (tried.exchanged) {
      break;
    }
    old = tried.old_value;
  }
  return bitcast<f32>(old);
}

fn sums_max(index: u32, value: f32) -> f32 {
  var old = atomicLoad(&sums[index]);
  loop {
    let t = bitcast<f32>(old);
    let tried = atomicCompareExchangeWeak(&sums[index], old, bitcast<u32>(select(t, value, (value > t))));
    if (tried.exchanged) {
      break;
    }
    old = tried.old_value;
  }
  return bitcast<f32>(old);
}

@compute @workgroup_size(4, 1, 1)
fn computeMain(@builtin(global_invocation_id) id: vec3u) {
  sums_add(id.x & 1u, inp[id.x]);
  sums_max(2u, f32(id.x) * 0.5);
}
