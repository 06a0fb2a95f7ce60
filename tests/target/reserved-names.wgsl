@group(0) @binding(0) var<storage, read> array_0: array<f32>;
@group(0) @binding(1) var<storage, read_write> target_0: array<f32>;

@compute @workgroup_size(4, 1, 1)
fn computeMain(@builtin(global_invocation_id) id: vec3u) {
  let t = array_0[id.x];
  let abs_0 = max(t, 1.7320508);
  let select_0 = t * 3.0;
  target_0[id.x] = select_0 + 2.0 + abs_0;
}
