// Why programs of other people give other numbers than the real compiler's, by `owner/name:path`; for `bench/foreign.mjs`.
const layers =
  'the number of a picture in an array is no integer: theirs cuts it off, ours rounds it as Vulkan and D3D do'

export const why = {
  'KhronosGroup/Vulkan-Samples:shaders/instancing/slang/instancing.frag.slang': layers,
  'SaschaWillems/Vulkan:shaders/slang/instancing/instancing.slang': layers,
  'upgrade-central-tech/racecar:shaders/prefilter/irradiance.slang':
    'its solid angles are differences of nearly equal arctangents, so rounding decides; with a constant in their place both give the same',
  'jedjoud10/vulkan-voxel-raytracer:shaders/sky_compute.slang':
    'two entry points have a uniform sun_and_time, which ours tells apart by a number, so the script fills it otherwise',
  'fixgoats/comfortablebinding:shaders/shader.slang': 'it has two entry points of one name, which ours refuses',
}
