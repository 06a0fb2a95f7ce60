/**
 * Names in WGSL text. A name of the source stays as it is if WGSL allows it and nothing else has it; otherwise it gets a suffix
 * `_0`, `_1`, …. Words of the language, its predeclared types and its built-in functions are never used.
 */

import { identifierOf } from '../code/names.ts'
import { intrinsics } from './intrinsic.ts'

/** Keywords, then reserved words: the two lists of the specification. */
const keywords = `alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if
let loop override requires return struct switch true var while
NULL Self abstract active alignas alignof as asm asm_fragment async attribute auto await become cast catch class co_await co_return
co_yield coherent column_major common compile compile_fragment concept const_cast consteval constexpr constinit crate debugger
decltype delete demote demote_to_helper do dynamic_cast enum explicit export extends extern external fallthrough filter final
finally friend from fxgroup get goto groupshared highp impl implements import inline instanceof interface layout lowp macro
macro_rules match mediump meta mod module move mut mutable namespace new nil noexcept noinline nointerpolation non_coherent
noncoherent noperspective null nullptr of operator package packoffset partition pass patch pixelfragment precise precision premerge
priv protected pub public readonly ref regardless register reinterpret_cast require resource restrict self set shared sizeof smooth
snorm static static_assert static_cast std subroutine super target template this thread_local throw trait try type typedef typeid
typename typeof union unless unorm unsafe unsized use using varying virtual volatile wgsl where with writeonly yield`

/** Types, values and functions that are no intrinsics of ours. */
const predeclared = `bool f16 f32 i32 u32 array atomic ptr sampler sampler_comparison read write read_write function private workgroup uniform storage
perspective linear flat center centroid sample first either position vertex_index instance_index front_facing frag_depth
sample_index sample_mask local_invocation_id local_invocation_index global_invocation_id workgroup_id num_workgroups bitcast
countLeadingZeros countTrailingZeros dot frexp fwidthCoarse fwidthFine ldexp modf quantizeToF16 select smoothstep textureBarrier
transpose`

// Whole names only: a number behind one of them must make another name.
const families = new RegExp(
  `^(${[
    'vec[234][fhiu]?',
    'mat[234]x[234][fh]?',
    'texture_((storage_)?[123]d|(depth_)?(2d|cube)(_array)?|storage_2d_array|(depth_)?multisampled_2d|external)',
    'texture(Dimensions|Gather(Compare)?|Load|Num(Layers|Levels|Samples)|Sample(Bias|Compare(Level)?|Grad|Level|BaseClampToEdge)?|Store)',
    'atomic(Load|Store|Add|Sub|Max|Min|And|Or|Xor|Exchange|CompareExchangeWeak)',
    '(un)?pack[24]x(8|16)(snorm|unorm|float)',
    '(un)?pack4x[IU]8',
    'pack4x[IU]8Clamp',
    'dot4[IU]8Packed',
    'subgroup(Add|All|And|Any|Ballot|Broadcast(First)?|Elect|(Ex|In)clusive(Add|Mul)|Max|Min|Mul|Or|Shuffle(Down|Up|Xor)?|Xor)',
    'quad(Broadcast|Swap[XY]|SwapDiagonal)',
    'r(g(ba)?)?(8|16|32)([su]norm|[su]int|float)',
    'bgra8unorm',
    'rgb10a2u(norm|int)',
    'rg11b10ufloat',
  ].join('|')})$`,
)

/** What these words begin with. */
const beginnings = ['vec', 'mat', 'texture', 'atomic', 'unpack', 'pack', 'dot4', 'subgroup', 'quad', 'r', 'bgra']

function wordsOf(list: string): string[] {
  return list.replaceAll('\n', ' ').split(' ')
}

let reserved: Set<string> | undefined

/** True for a word that no declaration may take as its name. */
export function isReserved(name: string): boolean {
  reserved ??= new Set([...wordsOf(keywords), ...wordsOf(predeclared), ...intrinsics.keys()])
  return reserved.has(name) || (beginnings.some(b => name.startsWith(b)) && families.test(name))
}

let words: Set<string> | undefined

/** A name for a struct's field: unlike other names it only has to differ from keywords and from its siblings. */
export function fieldNames(hints: readonly string[]): readonly string[] {
  words ??= new Set(wordsOf(keywords))
  const taken = new Set<string>()
  return hints.map(hint => {
    const base = identifierOf(hint, 'field')
    let name = base
    for (let n = 0; taken.has(name) || words!.has(name); n++) name = `${base}_${n}`
    taken.add(name)
    return name
  })
}
