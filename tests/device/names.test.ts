/** Every word that WGSL reserves, and the names that it declares itself, as the names of what a program declares: WebGPU accepts what comes of it. */
import { afterAll, describe, expect, it } from 'vitest'
import { compile } from '../../src/index.ts'
import { closeGpu, compileWgsl, refuse } from '../support/gpu.ts'

afterAll(closeGpu)

/** https://www.w3.org/TR/WGSL/#keyword-summary */
const keywords = `alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if let loop override
requires return struct switch true var while`

/** https://www.w3.org/TR/WGSL/#reserved-words */
const reserved = `NULL Self abstract active alignas alignof as asm asm_fragment async attribute auto await become cast catch class co_await co_return
co_yield coherent column_major common compile compile_fragment concept const_cast consteval constexpr constinit crate debugger decltype delete demote
demote_to_helper do dynamic_cast enum explicit export extends extern external fallthrough filter final finally friend from fxgroup get goto
groupshared highp impl implements import inline instanceof interface layout lowp macro macro_rules match mediump meta mod module move mut mutable
namespace new nil noexcept noinline nointerpolation non_coherent noncoherent noperspective null nullptr of operator package packoffset partition pass
patch pixelfragment precise precision premerge priv protected pub public readonly ref regardless register reinterpret_cast require resource restrict
self set shared sizeof smooth snorm static static_assert static_cast std subroutine super target template this thread_local throw trait try type
typedef typeid typename typeof union unless unorm unsafe unsized use using varying virtual volatile wgsl where with writeonly yield`

/** Types, functions, enumerants, attributes and built-in values, of each family some. */
const predeclared = `bool f16 f32 i32 u32 array atomic ptr sampler sampler_comparison texture_1d texture_2d texture_storage_2d texture_depth_2d vec2 vec3f vec4i
mat2x2 mat3x3f read write read_write function private workgroup uniform storage rgba8unorm r32float rg32uint bgra8unorm perspective linear flat center
sample first either position vertex_index global_invocation_id align binding builtin compute group id interpolate invariant location size vertex
fragment workgroup_size abs acos all any arrayLength bitcast clamp countOneBits cross dot dpdx fma fract frexp inverseSqrt length log2 max mix modf
pack2x16float pow quantizeToF16 round saturate select sign step storageBarrier textureBarrier textureLoad transpose unpack4xI8 workgroupBarrier
workgroupUniformLoad atomicAdd subgroupAdd quadSwapX globalParams`

const kernel = `
RWStructuredBuffer<float> data_;
[shader("compute")] [numthreads(1, 1, 1)] void kernel_() { data_[0] = f(data_[1]); }
`

const roles: Readonly<Record<string, (word: string) => string>> = {
  'a variable, a parameter and a field': w => `struct S { float ${w}; float[3] all_; }
float g(float ${w}) { float y = ${w} * 2; y += ${w} * y; return y; }
float f(float x) { S s = { x, { x, x, x } }; float ${w} = s.${w}; s.all_[int(x)] = ${w}; ${w} += g(${w}) + s.all_[1]; return ${w}; }${kernel}`,
  'a function': w => `float ${w}(float x) { float y = 0; for (int i = 0; i < 3; i++) y += x * y; return y; }
float f(float x) { return ${w}(x) + ${w}(2 * x); }${kernel}`,
  'a struct': w => `struct ${w} { float a; int b; }
StructuredBuffer<${w}> many_;
float f(float x) { ${w} r; r.a = x; r.b = 3; ${w} q[2]; q[0] = many_[1]; q[1] = r; return q[int(x)].a; }${kernel}`,
  'a buffer': w => `RWStructuredBuffer<float> ${w};
float f(float x) { float y = ${w}[0]; return y + x * ${w}[1]; }${kernel}`,
  'a static array': w => `static float ${w}[3] = { 1, 2, 3 };
float f(float x) { float y = ${w}[int(x)]; return y * x; }${kernel}`,
  'an entry point': w => `RWStructuredBuffer<float> data_;
[shader("compute")] [numthreads(1, 1, 1)] void ${w}(uint3 id : SV_DispatchThreadID) { data_[id.x] = data_[1] + float(id.y); }`,
}

/** Words with which Slang's own grammar begins something else, so that some of the programs are not Slang. */
const slang = new Set(
  `break case const continue default discard do else enum export extern false for goto groupshared if import in inline interface let namespace new nullptr
operator out public private return sizeof static static_assert struct switch this throw true try typedef using var while
alignof as catch class defer each extension fn func internal is nointerpolation noperspective centroid sample linear flat none precise snorm unorm uniform
volatile override column_major register restrict readonly writeonly typename where bool final protected virtual abstract constexpr shared layout decltype coherent highp lowp mediump module patch ref require`.split(
    /\s+/,
  ),
)

describe('names that mean something in WGSL', () => {
  const words = [...new Set(`${keywords} ${reserved} ${predeclared}`.split(/\s+/))]
  for (const [role, write] of Object.entries(roles)) {
    it(`name ${role}`, async () => {
      const refused: string[] = []
      const seen: string[] = []
      for (const word of words) {
        const program = compile(write(word), { fileName: word, optimize: 0 })
        if (!program.ok) refused.push(word)
        else {
          const { code } = program.wgsl()
          refuse(code, await compileWgsl(code))
          seen.push(word)
        }
      }
      expect(
        refused.filter(w => !slang.has(w)),
        'names that only WGSL reserves',
      ).toEqual([])
      expect(seen.length).toBeGreaterThan(words.length - slang.size)
    }, 120_000)
  }
})
