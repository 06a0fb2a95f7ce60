// The programs that `bench/others.mjs` compiles and compares: where each stands, what it is, and what it needs from its host.
//   with: folders in which imports are looked up, in its own repository, or as `owner/name:folder`
//   groups, elements, values, ranges, floats, ints, size: how its kernels are started and what its resources hold
//   driver: a kernel of ours that calls what a library without kernels offers; its values, and its gradients where `gradients` names it
import { driver } from './driver.mjs'
import { gradients, values } from './slangpy.mjs'

const playground = (name, about, more = {}) => ({
  repo: 'shader-slang/slang-playground',
  path: `public/demos/${name}.slang`,
  about,
  with: ['engine/slang-compilation-engine/src/slang'],
  ...more,
})

const slang = (path, about, more = {}) => ({ repo: 'shader-slang/slang', path: `examples/${path}`, about, ...more })
const slangpy = (path, about, more = {}) => ({ repo: 'shader-slang/slangpy', path, about, ...more })
const webgpu = (path, about, more = {}) => ({
  repo: 'eliemichel/SlangWebGPU',
  path: `examples/${path}`,
  about,
  ...more,
})

/** Functions of a library: `values` and `gradients` are signatures, `float3 f(float3 a, float b)`. */
const library = (repo, path, about, values, gradients = [], more = {}) => ({
  repo,
  path,
  about,
  driver: driver(path, values, gradients),
  ...more,
})
const torch = (path, about, ...rest) => library('shader-slang/slang-torch', path, about, ...rest)
const falcor = (path, about, ...rest) => library('NVIDIAGameWorks/Falcor', `Source/Falcor/${path}`, about, ...rest)
const kernels = (repo, path, about, more = {}) => ({ repo, path, about, ...more })

export const programs = [
  playground('atomics', 'counters that threads share'),
  playground('autodiff', 'forward and reverse derivatives of a sum of squares'),
  playground('circle', 'coloured rings'),
  playground('entrypoint', 'a vertex and a fragment shader with an array of textures', {
    refused: 'WGSL has no arrays of textures; Dawn refuses theirs',
  }),
  playground('generic', 'generic functions and interfaces'),
  playground('gsplat2d-diff', 'splatting of Gaussians with gradients and Adam', {
    elements: 4096,
    groups: { '*': [1, 1, 1] },
  }),
  playground('gsplat2d', 'splatting of Gaussians', { elements: 4096 }),
  playground('image-from-url', 'a picture from a texture'),
  playground('lambda', 'lambdas as arguments'),
  playground('multiple-kernels', 'two kernels'),
  playground('ocean', 'an ocean by ray marching'),
  playground('operator-overload', 'operators of a struct'),
  playground('painting', 'painting with the mouse'),
  playground('property', 'properties of a struct'),
  playground('simple-image', 'one colour'),
  playground('simple-print', 'printing'),
  playground('variadic', 'packs of types'),
  playground('volume-slice', 'a slice of a 3D texture'),
  kernels(
    'shader-slang/slang-playground',
    'engine/slang-compilation-engine/src/slang/rand_float.slang',
    'random numbers',
  ),

  slang('hello-world/hello-world.slang', 'the sum of two buffers'),
  slang('cpu-hello-world/shader.slang', 'a buffer by thread ids'),
  slang('autodiff-texture/buildmip.slang', 'a level of a mip chain from that above', {
    values: { dstWidth: 16, dstHeight: 16 },
  }),
  slang('autodiff-texture/convert.slang', 'gradients in fixed point as texels'),
  slang('autodiff-texture/reconstruct.slang', 'a picture from its mip chain of differences', {
    values: { width: 16, height: 16 },
  }),
  slang('autodiff-texture/draw-quad.slang', 'a textured quad', {
    values: { x: 0, y: 0, width: 64, height: 64, viewWidth: 64, viewHeight: 64 },
    vertices: [0, 1],
  }),
  slang('autodiff-texture/learnmip.slang', 'a step of learning a level', {
    refused: 'WGSL has no texture of four floats that is read and written',
  }),
  slang('autodiff-texture/train.slang', 'gradients of a loss by texels of a mip chain, in the fragment stage'),
  slang('triangle/shaders.slang', 'a coloured triangle'),
  slang('nv-aftermath-example/shaders.slang', 'a coloured triangle, with a loop'),
  slang('reflection-api/compute-simple.slang', 'resources for reflection', { idle: true }),
  slang('reflection-api/raster-simple.slang', 'blocks within blocks, by two stages'),
  slang('reflection-parameter-blocks/shader.slang', 'shading with parameter blocks', { groups: { '*': [1, 1, 1] } }),
  slang('model-viewer/shaders.slang', 'materials and lights by generic interfaces'),
  slang('shader-object/shader-object.slang', 'an interface as a parameter'),
  slang('shader-toy/shader-toy.slang', 'an effect behind an interface, two stages'),
  slang('shader-coverage-backends/hello-coverage.slang', 'branches to count'),
  slang('shader-coverage-bvh-traversal/bvh_traverse.slang', 'rays through a tree of boxes', {
    floats: [-1, 1],
    values: { globals_rayCount: 64, globals_rayBatchOffset: 0, tMax: 50 },
    ranges: { nodes_leftIndex: [-2, 3], nodes_rightIndex: [0, 8] },
  }),
  slang('shader-coverage-image-pipeline/pipeline.slang', 'denoising, tone mapping and gamma of a picture'),
  slang('shader-coverage-tutorial/hello-coverage.slang', 'branches to count'),
  slang('wgpu-slang-wasm/shader.slang', 'two stages without attributes'),
  slang('gpu-printing/kernels.slang', 'printing by strings', { theirs: 'includes a header that is C++' }),
  slang('ray-tracing/shaders.slang', 'ray queries', { refused: 'WGSL has no ray tracing' }),
  slang('ray-tracing-pipeline/shaders.slang', 'a ray tracing pipeline', { refused: 'WGSL has no ray tracing' }),
  slang('mlp-training/kernels.slang', 'training a small network through pointers', {
    refused: 'WGSL has no pointers to buffers',
  }),
  slang('mlp-training-coopvec/kernels.slang', 'training with cooperative vectors', {
    refused: 'WGSL has no cooperative vectors',
  }),

  slangpy('examples/simple_compute/simple_compute.slang', 'the sum of two buffers'),
  slangpy('examples/tev/checkerboard.slang', 'a checkerboard'),
  slangpy('examples/window/draw.slang', 'a drawing by signed distances'),
  slangpy('examples/pathtracer/tone_mapper.slang', 'tone mapping'),
  slangpy('examples/pathtracer/accumulator.slang', 'the mean of frames', {
    refused: 'WGSL has no texture of four floats that is read and written',
  }),
  slangpy('examples/jupyter/func.slang', 'a function and a kernel'),
  slangpy('src/sgl/ui/imgui.slang', 'a user interface'),
  slangpy('slangpy/tests/device/test_shader_cursor.slang', 'uniforms of all types, half floats among them', {
    elements: 256,
    refused: 'needs half floats, which the software driver has not',
  }),
  slangpy('slangpy/tests/device/slang/test_nested_structs.slang', 'structs within structs'),
  slangpy('slangpy/tests/device/test_parameter_block.slang', 'a parameter block'),
  slangpy('slangpy/tests/device/test_pipeline_raster.slang', 'two stages'),
  slangpy('slangpy/tests/device/test_torch_interop.slang', 'a kernel on tensors of PyTorch'),
  slangpy('slangpy/slang/slangpy.slang', 'a kernel that calls a function for each element of a tensor', {
    driver: values,
    theirs: 'is older than these modules, which use ImmutablePtr',
  }),
  slangpy('slangpy/slang/tensor.slang', 'a kernel that takes the gradients of that call', {
    driver: gradients,
    theirs: 'is older than these modules, which use ImmutablePtr',
  }),
  { repo: 'shader-slang/slangpy-samples', path: 'tutorials/compute_shader.slang', about: 'the sum of two buffers' },

  webgpu('01_simple_kernel/shaders/hello-world.slang', 'the sum of two buffers'),
  webgpu('02_multiple_entrypoints/shaders/buffer-math.slang', 'five kernels'),
  webgpu('04_uniforms/shaders/buffer-scalar-math.slang', 'kernels with uniforms', { values: { indexOffset: 0 } }),
  webgpu('05_autodiff/shaders/simple_autodiff.slang', 'the derivative of a polynomial'),

  {
    repo: 'nestor98/slangpy-experiments',
    path: 'apps/barber1/wrapped_shader.slang',
    about: 'a ray-marched scene from Shadertoy',
    refused: 'takes differences between pixels in a kernel, which Dawn refuses in theirs',
  },
  {
    repo: 'nestor98/slangpy-experiments',
    path: 'apps/barber_bloom/barber.slang',
    about: 'a ray-marched scene with bloom',
    refused: 'takes differences between pixels in a kernel, which Dawn refuses in theirs',
  },
  {
    repo: 'Tegon-McCloud/slangpy-prb',
    path: 'shaders/gradient_descent.slang',
    about: 'a step of gradient descent',
    groups: { '*': [1, 1, 1] },
  },

  torch(
    'examples/brdf-appearance-optimize-example/BRDF.slang',
    'the Disney BRDF, and its gradients',
    ['float3 BRDF(float3 L, float3 V, float3 N, float3 baseColor, float roughness, float metallic, float specular)'],
    [
      'float3 BRDF(float3 L, float3 V, float3 N, float3 baseColor, float roughness, float metallic, float specular)',
      'float GTR2(float NdotH, float a)',
    ],
  ),
  torch(
    'examples/soft-rasterizer-example/soft-rasterizer2d.slang',
    'soft triangles, and their gradients',
    ['float softTriangle(float2 xy, float2 v1, float2 v2, float2 v3, float sigma)'],
    ['float softTriangle(float2 xy, float2 v1, float2 v2, float2 v3, float sigma)'],
  ),
  kernels(
    'shader-slang/slang-torch',
    'examples/brdf-appearance-optimize-example/lightkernel.slang',
    'the loss of a rendered material',
  ),
  kernels('shader-slang/slang-torch', 'examples/fwd-rasterizer-example/rasterizer2d.slang', 'a triangle'),
  kernels('shader-slang/slang-torch', 'examples/soft-rasterizer-example/soft-rasterizer2d.slang', 'a soft triangle'),
  kernels(
    'shader-slang/slang-torch',
    'examples/hard-rasterizer-example/hard-rasterizer2d.slang',
    'a hard triangle with gradients by its edges',
  ),
  kernels('shader-slang/slang-torch', 'examples/bezier2d/bezier.slang', 'Bézier curves', {
    defines: { NUM_CTRL_PTS: 4, DIM: 2 },
  }),
  library(
    'google/slang-gaussian-rasterization',
    'slang_gaussian_rasterization/internal/slang/utils.slang',
    'projection and covariance of Gaussians, and their gradients',
    [
      'float3 geom_transform_points(float3 point, float4x4 m)',
      'float3x3 get_covariance_from_quat_scales(float4 q, float3 s)',
      'float splat_radius(float2x2 cov, float det)',
    ],
    [
      'float3 geom_transform_points(float3 point, float4x4 m)',
      'float3x3 get_covariance_from_quat_scales(float4 q, float3 s)',
      'float compute_det(float2x2 M)',
    ],
  ),
  kernels(
    'google/slang-gaussian-rasterization',
    'slang_gaussian_rasterization/internal/slang/vertex_shader.slang',
    'projection of Gaussians',
  ),
  library(
    'yashbelhe/ASD',
    'slang/bezier_curve.slang',
    'distance to a curve, and its gradients',
    [
      'float sdBezier(float2 pos, float2 A, float2 B, float2 C)',
      'float sdQuadraticBezier(float2 p, float2 p0, float2 p1, float2 p2, float width)',
    ],
    ['float sdBezier(float2 pos, float2 A, float2 B, float2 C)'],
  ),
  library(
    'yashbelhe/ASD',
    'slang/csg.slang',
    'distances to solids, and their gradients',
    ['float sdSphere(float3 x, float radius)', 'float sdCube(float3 x, float size)'],
    ['float sdCylinderZ(float3 x, float radius, float height)', 'float sdCube(float3 x, float size)'],
  ),
  kernels('yashbelhe/ASD', 'slang/implicit_raymarching.slang', 'ray marching of a grid'),
  falcor(
    'Utils/Math/MathHelpers.slang',
    'mappings of the sphere, sampling, special functions',
    [
      'float2 cartesian_to_spherical_unorm(float3 p)',
      'float3 spherical_to_cartesian_rad(float2 sph)',
      'float2 ndir_to_oct_snorm(float3 n)',
      'float3 oct_to_ndir_equal_area_unorm(float2 p)',
      'float3 sample_cone(float2 u, float cosTheta)',
      'float2 sample_disk_concentric(float2 u)',
      'float3x3 inverse(float3x3 M)',
      'float4x4 inverse(float4x4 m)',
      'float3 perp_stark(float3 u)',
      'float erf(float x)',
      'float erfinv(float x)',
      'float lgamma(float x)',
      'float3 sampleVonMisesFisher(float2 u, float kappa)',
    ],
    [],
    { with: ['Source/Falcor', 'Source'] },
  ),
  falcor(
    'Utils/Color/ColorMap.slang',
    'colour maps',
    [
      'float3 colormapJet(float x)',
      'float3 colormapViridis(float x)',
      'float3 colormapPlasma(float x)',
      'float3 colormapInferno(float x)',
    ],
    [],
    { with: ['Source/Falcor', 'Source'] },
  ),
  falcor(
    'Utils/Color/ColorHelpers.slang',
    'colour spaces',
    ['float luminance(float3 rgb)', 'float3 RGBtoXYZ_Rec709(float3 c)', 'float3 actualPow(float3 x, float y)'],
    [],
    { with: ['Source/Falcor', 'Source'] },
  ),
  falcor(
    'Utils/Math/IntervalArithmetic.slang',
    'intervals',
    [
      'float2 ivlMul(float2 a, float2 b)',
      'float2 ivlDiv(float2 a, float2 b)',
      'float2 ivlSqrt(float2 a)',
      'float2 ivlLength(float2 x, float2 y, float2 z)',
    ],
    [],
    { with: ['Source/Falcor', 'Source'] },
  ),
]
