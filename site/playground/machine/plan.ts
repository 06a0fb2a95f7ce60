/**
 * What a run needs, from reflection and the attributes of Slang's playground: what lies in each resource, where each uniform comes from, which kernels run over
 * how many groups, and what is the picture. Without attributes: buffers of 1024 zeros, black textures as large as the picture, and every kernel
 * once, over what it uses.
 */
import type { BindingInfo, DataType, EntryReflection, Reflection } from 'cotangent'
import type { Attribute } from './attributes.ts'
import { printedWords } from './printing.ts'
import { Failed } from './protocol.ts'
import type { Control } from './run-protocol.ts'
import { formatOf } from './texels.ts'
import type { Plain } from './values.ts'
import { zeroOf } from './values.ts'

export interface BufferPlan {
  readonly name: string
  readonly elements: number
  /** Bytes from one element to the next. */
  readonly stride: number
  readonly type: DataType
  readonly fill: 'zeros' | 'random'
}

export interface TexturePlan {
  readonly name: string
  readonly size: readonly [number, number, number]
  readonly format: string
  readonly dimension: '2d' | '3d'
  readonly written: boolean
}

/** Where a uniform comes from. */
export type Source = 'time' | 'frame' | 'mouse' | { readonly key: string } | { readonly control: Control } | 'zeros'

export interface UniformPlan {
  readonly name: string
  /** The entry point that alone has it, or null. */
  readonly entry: string | null
  /** The block that it is a field of, or itself where it is a block. */
  readonly binding: string
  readonly field: string | null
  readonly type: DataType
  readonly source: Source
}

export interface Call {
  readonly kernel: EntryReflection
  readonly groups: readonly [number, number, number] | { readonly buffer: string; readonly offset: number }
  readonly once: boolean
}

export interface Plan {
  readonly reflection: Reflection
  readonly buffers: readonly BufferPlan[]
  readonly textures: readonly TexturePlan[]
  /** Samplers that repeat; all others clamp. */
  readonly repeating: ReadonlySet<string>
  readonly uniforms: readonly UniformPlan[]
  readonly calls: readonly Call[]
  /** Shaders that draw the picture. Without a vertex shader a triangle covers it. */
  readonly raster: { readonly vertex: EntryReflection | undefined; readonly fragment: EntryReflection } | undefined
  /** The texture that is the picture. */
  readonly shown: TexturePlan | undefined
  readonly animated: boolean
}

/** An attribute whose arguments are known. */
export interface Known extends Omit<Attribute, 'args'> {
  readonly args: readonly (number | string)[]
}

const elementsByDefault = 1024
/** The largest resource, in bytes. */
const largest = 1 << 28

const onUniforms = ['TIME', 'FRAME_ID', 'MOUSE_POSITION', 'KEY', 'SLIDER', 'COLOR_PICK']
const onResources = ['ZEROS', 'RAND', 'BLACK', 'BLACK_3D', 'BLACK_SCREEN', 'SAMPLER', 'URL', 'DATA']
const onKernels = ['CALL', 'CALL_SIZE_OF', 'CALL_INDIRECT', 'CALL_ONCE']

/** Plans a run. Throws a `Failed` where an attribute does not fit, or asks for what this playground does not do. */
export function planned(reflection: Reflection, attributes: readonly Known[], size: readonly [number, number]): Plan {
  for (const a of attributes) {
    if (![...onUniforms, ...onResources, ...onKernels].includes(a.name))
      throw wrong(
        a,
        `there is no such attribute; there are ${[...onUniforms, ...onResources, ...onKernels].join(', ')}`,
      )
    if (a.name === 'URL' || a.name === 'DATA')
      throw wrong(
        a,
        'this page asks no other host, so nothing is loaded from addresses; fill the resource in a kernel that runs once, [playground::CALL::ONCE]',
      )
  }
  const of = (name: string): readonly Known[] => attributes.filter(a => a.of === name)
  const isPrint = (b: BindingInfo): boolean => b.name === reflection.prints?.binding
  const buffers = reflection.bindings
    .filter(b => (b.kind === 'storage' || b.kind === 'read-only-storage') && !isPrint(b))
    .map(b => bufferPlan(b, of(b.name)))
  const textures = reflection.bindings
    .filter(b => b.kind === 'texture' || b.kind === 'storage-texture')
    .map(b => texturePlan(b, of(b.name), size))
  const uniforms = uniformPlans(reflection, of)
  const raster = rasterOf(reflection)
  const shown = raster === undefined ? shownOf(textures) : undefined
  const calls = callsOf(reflection, of, buffers, textures)
  const moving = uniforms.some(u => u.source !== 'zeros' && !(typeof u.source === 'object' && 'control' in u.source))
  const again = calls.filter(c => !c.once)
  const isWritten = (name: string): boolean =>
    buffers.some(b => b.name === name) && reflection.bindings.some(b => b.name === name && b.kind === 'storage')
  const keepsState = again.some(c => of(c.kernel.name).length > 0 && c.kernel.bindings.some(isWritten))
  return {
    reflection,
    buffers,
    textures,
    repeating: new Set(attributes.filter(a => a.name === 'SAMPLER').map(a => a.of)),
    uniforms,
    calls,
    raster,
    shown,
    animated: (moving && (again.length > 0 || raster !== undefined)) || keepsState,
  }
}

function wrong(a: Known, why: string): Failed {
  const shown = a.name.replace(/^(CALL)_/, '$1::')
  const problem = {
    severity: 'error',
    code: 'playground',
    message: `[playground::${shown}] of ${a.of}: ${why}`,
    file: a.file,
    line: a.line,
    column: 1,
  } as const
  return new Failed({ message: problem.message, problems: [problem] })
}

/** The arguments of an attribute as whole numbers above 0, so many of them. */
function counts(a: Known, n: number): number[] {
  if (a.args.length !== n || !a.args.every(x => typeof x === 'number' && Number.isInteger(x) && x > 0))
    throw wrong(a, `expected ${n === 1 ? 'a whole number' : `${n} whole numbers`} above 0, got (${a.args.join(', ')})`)
  return a.args as number[]
}

function bufferPlan(info: BindingInfo, attributes: readonly Known[]): BufferPlan {
  const { name } = info
  const type = info.type!
  const [elem, stride] = type.kind === 'array' ? [type.elem, type.stride] : [type, type.size]
  const given = attributes.find(a => a.name === 'ZEROS' || a.name === 'RAND')
  for (const a of attributes) if (a !== given) throw wrong(a, 'it stands before a buffer, which takes ZEROS or RAND')
  if (given?.name === 'RAND' && !(elem.kind === 'scalar' && elem.scalar === 'f32'))
    throw wrong(given, 'only a buffer of float takes random numbers')
  const elements = type.kind !== 'array' ? 1 : given === undefined ? elementsByDefault : counts(given, 1)[0]!
  if (elements * stride > largest)
    throw new Failed({ message: `${name}: ${elements * stride} bytes are more than ${largest}` })
  return { name, elements, stride, type: elem, fill: given?.name === 'RAND' ? 'random' : 'zeros' }
}

function texturePlan(
  info: BindingInfo,
  attributes: readonly Known[],
  [width, height]: readonly [number, number],
): TexturePlan {
  const { name } = info
  const handle = info.handle!
  const stored = handle.kind === 'storage-texture' ? handle.storageTexture : undefined
  const dimension = stored?.dimension ?? (handle.kind === 'texture' ? handle.texture.dimension : '2d')
  if (dimension !== '2d' && dimension !== '3d')
    throw new Failed({
      message: `${name}: the playground has textures of two or three dimensions, and this one is ${dimension}.`,
    })
  const format =
    stored?.format ??
    (handle.kind === 'texture' && handle.texture.sampleType === 'sint'
      ? 'rgba32sint'
      : handle.kind === 'texture' && handle.texture.sampleType === 'uint'
        ? 'rgba32uint'
        : 'rgba8unorm')
  const size = ((): readonly [number, number, number] => {
    const [a] = attributes
    if (a === undefined) return [width, height, dimension === '3d' ? 16 : 1]
    const needed = dimension === '3d' ? ['BLACK_3D'] : ['BLACK', 'BLACK_SCREEN']
    if (!needed.includes(a.name))
      throw wrong(a, `it stands before a texture of type ${dimension}, which takes ${needed.join(' or ')}`)
    if (a.name === 'BLACK') return [...(counts(a, 2) as [number, number]), 1]
    if (a.name === 'BLACK_3D') return counts(a, 3) as [number, number, number]
    const [across, down] = a.args
    if (a.args.length !== 2 || !(Number(across) > 0) || !(Number(down) > 0))
      throw wrong(a, 'expected two numbers above 0')
    return [Math.max(1, Math.round(width * Number(across))), Math.max(1, Math.round(height * Number(down))), 1]
  })()
  if (size.some(n => n > 8192)) throw new Failed({ message: `${name}: a side of a texture has at most 8192 texels` })
  return { name, size, format, dimension, written: stored !== undefined && stored.access !== 'read-only' }
}

function uniformPlans(reflection: Reflection, of: (name: string) => readonly Known[]): UniformPlan[] {
  const plans: UniformPlan[] = []
  for (const { path, entry, binding, field } of reflection.parameters) {
    const info = reflection.bindings.find(b => b.name === binding)
    if (info?.kind !== 'uniform') continue
    const fields = info.type?.kind === 'struct' ? info.type.fields : []
    const type = field === null ? info.type! : fields.find(f => f.name === field)!.type
    // As the hosts name what lies inside of a struct.
    const name = path.join('_')
    const source = isOfTensor(reflection, path) ? 'zeros' : sourceOf(name, field === null, type, of(name))
    plans.push({ name, entry, binding, field, type, source })
  }
  return plans
}

/** Whether a parameter says how a tensor lies in its buffer: no visitor wants to set that. A tensor of Run is empty; Train gives it a shape. */
function isOfTensor({ parameters }: Reflection, path: Reflection['parameters'][number]['path']): boolean {
  const around = path.slice(0, -1)
  return parameters.some(
    p =>
      p.path.length === path.length && p.path.at(-1) === 'lastStride' && around.every((part, i) => part === p.path[i]),
  )
}

function sourceOf(name: string, isBlock: boolean, type: DataType, attributes: readonly Known[]): Source {
  const [a] = attributes
  if (a === undefined) {
    if (isBlock || type.kind !== 'scalar' || type.scalar === 'bool') return 'zeros'
    return { control: { kind: 'number', name, value: 0, whole: !type.scalar.startsWith('f') } }
  }
  const numbers = a.args.filter(x => typeof x === 'number')
  switch (a.name) {
    case 'TIME':
    case 'FRAME_ID':
      if (type.kind !== 'scalar') throw wrong(a, 'the uniform is no single number')
      return a.name === 'TIME' ? 'time' : 'frame'
    case 'MOUSE_POSITION':
      if (type.kind !== 'vector' || type.count !== 4) throw wrong(a, 'the uniform is no vector of four numbers')
      return 'mouse'
    case 'KEY': {
      const [key] = a.args
      if (type.kind !== 'scalar' || typeof key !== 'string')
        throw wrong(a, 'expected the name of a key in quotes, before a uniform that is a number')
      return { key }
    }
    case 'SLIDER': {
      const [value, min, max] = numbers
      if (type.kind !== 'scalar' || !type.scalar.startsWith('f') || max === undefined || min! >= max)
        throw wrong(a, 'expected three numbers (value, least, most) before a float')
      return { control: { kind: 'slider', name, value: value!, min: min!, max } }
    }
    case 'COLOR_PICK': {
      if (type.kind !== 'vector' || type.count < 3 || numbers.length !== 3)
        throw wrong(a, 'expected three numbers (red, green, blue) before a float3')
      return { control: { kind: 'color', name, value: numbers as [number, number, number] } }
    }
    default:
      throw wrong(a, `it stands before a uniform, which takes ${onUniforms.join(', ')}`)
  }
}

function rasterOf({ entries }: Reflection): Plan['raster'] {
  const fragment = entries.find(e => e.stage === 'fragment')
  if (fragment === undefined) return undefined
  const vertex = entries.find(e => e.stage === 'vertex')
  if (vertex?.inputs.some(i => i.builtin === null) === true)
    throw new Failed({
      message: `${vertex.name} reads vertices from buffers, which the playground does not have. Make the vertices of SV_VertexID.`,
    })
  return { vertex, fragment }
}

function shownOf(textures: readonly TexturePlan[]): TexturePlan | undefined {
  const isPicture = (t: TexturePlan): boolean => {
    const format = formatOf(t.format)
    return (
      t.written &&
      t.dimension === '2d' &&
      (format?.kind === 'unorm' || (format?.kind === 'float' && format.bits === 32))
    )
  }
  return textures.find(t => t.name === 'outputTexture' && isPicture(t)) ?? textures.find(isPicture)
}

function callsOf(
  { entries }: Reflection,
  of: (name: string) => readonly Known[],
  buffers: readonly BufferPlan[],
  textures: readonly TexturePlan[],
): Call[] {
  const kernels = entries.filter(e => e.stage === 'compute')
  const isCall = (a: Known): boolean => a.name.startsWith('CALL') && a.name !== 'CALL_ONCE'
  const sizeOf = (name: string): readonly [number, number, number] | undefined => {
    const buffer = buffers.find(b => b.name === name)
    return buffer === undefined ? textures.find(t => t.name === name)?.size : [buffer.elements, 1, 1]
  }
  if (!kernels.some(k => of(k.name).some(isCall)))
    return kernels.map(kernel => ({
      kernel,
      groups: groupsFor(kernel, usualThreads(kernel, buffers, textures)),
      once: of(kernel.name).length > 0,
    }))
  return kernels.flatMap((kernel): Call[] => {
    const attributes = of(kernel.name)
    for (const a of attributes)
      if (!onKernels.includes(a.name)) throw wrong(a, `it stands before a kernel, which takes ${onKernels.join(', ')}`)
    const [call, second] = attributes.filter(isCall)
    if (second !== undefined) throw wrong(second, 'the kernel has another CALL')
    if (call === undefined) return []
    const once = attributes.some(a => a.name === 'CALL_ONCE')
    const [first, offset] = call.args
    if (call.name === 'CALL_INDIRECT') {
      if (typeof first !== 'string' || !buffers.some(b => b.name === first))
        throw wrong(call, `there is no buffer ${first}`)
      return [{ kernel, groups: { buffer: first, offset: Number(offset ?? 0) }, once }]
    }
    if (call.name === 'CALL_SIZE_OF') {
      const size = typeof first === 'string' ? sizeOf(first) : undefined
      if (size === undefined) throw wrong(call, `no kernel uses a buffer or texture ${first}`)
      return [{ kernel, groups: groupsFor(kernel, size), once }]
    }
    if (call.args.length > 3) throw wrong(call, 'expected at most three numbers of threads')
    const threads = counts(call, call.args.length)
    return [{ kernel, groups: groupsFor(kernel, [threads[0] ?? 1, threads[1] ?? 1, threads[2] ?? 1]), once }]
  })
}

/** A thread for each texel that a kernel writes, or else for each element of the largest buffer that it uses, but for that of printed text. */
function usualThreads(
  kernel: EntryReflection,
  buffers: readonly BufferPlan[],
  textures: readonly TexturePlan[],
): readonly [number, number, number] {
  const texture = textures.find(t => t.written && kernel.bindings.includes(t.name))
  if (texture !== undefined) return texture.size
  const own = buffers.filter(b => kernel.bindings.includes(b.name) && b.name !== printedWords)
  return [Math.max(1, ...own.map(b => b.elements)), 1, 1]
}

function groupsFor(
  { workgroupSize: [x, y, z] }: EntryReflection,
  [a, b, c]: readonly [number, number, number],
): readonly [number, number, number] {
  return [Math.ceil(a / x), Math.ceil(b / y), Math.ceil(c / z)]
}

/** What the uniforms of a frame are made from. */
export interface Moment {
  readonly seconds: number
  readonly frame: number
  readonly mouse: readonly [number, number, number, number]
  readonly keys: ReadonlySet<string>
  readonly controls: Readonly<Record<string, number | readonly number[]>>
}

/** The value of a uniform at a moment. */
export function valueAt({ source, type }: UniformPlan, moment: Moment): Plain {
  const scalar = (n: number): Plain =>
    type.kind === 'scalar' && type.scalar === 'bool'
      ? n !== 0
      : type.kind === 'scalar' && !type.scalar.startsWith('f')
        ? Math.trunc(n)
        : n
  const whole = type.kind === 'vector' && !type.scalar.startsWith('f')
  if (source === 'zeros') return zeroOf(type)
  if (source === 'time') return scalar(moment.seconds)
  if (source === 'frame') return scalar(moment.frame)
  if (source === 'mouse') return moment.mouse.map(n => (whole ? Math.trunc(n) : n))
  if ('key' in source) return scalar(moment.keys.has(source.key) ? 1 : 0)
  const { control } = source
  const value = moment.controls[control.name] ?? control.value
  if (typeof value === 'number') return scalar(value)
  return type.kind === 'vector' ? Array.from({ length: type.count }, (_, i) => value[i] ?? 1) : [...value]
}
