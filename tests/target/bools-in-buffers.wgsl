struct Flags_storage {
  on: u32,
  level: f32,
  lanes: vec3u,
}

@group(0) @binding(0) var<storage, read> inp: array<Flags_storage>;
@group(0) @binding(1) var<storage, read_write> flags: array<Flags_storage>;
@group(0) @binding(2) var<storage, read_write> outp: array<u32>;

@compute @workgroup_size(4, 1, 1)
fn computeMain(@builtin(global_invocation_id) id: vec3u) {
  let f_on = inp[id.x].on != 0u;
  let f_level = inp[id.x].level;
  let f_lanes = inp[id.x].lanes != vec3u();
  let f_on_0 = !f_on;
  let f_lanes_0 = vec3<bool>(f_lanes.x, (f_level > 0.5), f_lanes.z);
  flags[id.x].on = u32(f_on_0);
  flags[id.x].level = f_level;
  flags[id.x].lanes = vec3u(f_lanes_0);
  outp[id.x] = u32(select(true, f_lanes.z, f_on));
}
