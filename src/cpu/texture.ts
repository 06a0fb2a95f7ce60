/** Textures and samplers on the CPU: texels in memory become buffers of four channels, and are written back where a kernel writes them. */
import type { WasmBuffer } from '../index.ts'
import type { Part } from '../host/tensor.ts'
import { unknownName, wrongGroup } from '../host/given.ts'
import { wrongSampler, wrongTexture } from '../host/texture.ts'
import { BufferError } from './errors.ts'
import { fromHalf, halfBits } from '../host/half.ts'
import type { BufferData } from './upload.ts'

/** A texture of two dimensions. Where a kernel writes it, `data` is written in place. */
export interface TextureData {
  /** Width and height in texels. */
  readonly size: readonly [number, number] | readonly number[]
  /** WebGPU's name for the format. Default: as many channels as there are, normalised for `Uint8Array`. */
  readonly format?: string | undefined
  /** Texels from left to right, then from top to bottom. Default: zeros. */
  readonly data?: ArrayBufferView | undefined
}

/** How a texture is read between and beyond its texels: WebGPU's description. Default: linear, clamped at the edges. */
export interface SamplerData {
  readonly addressModeU?: 'clamp-to-edge' | 'repeat' | 'mirror-repeat' | undefined
  readonly addressModeV?: 'clamp-to-edge' | 'repeat' | 'mirror-repeat' | undefined
  readonly magFilter?: 'nearest' | 'linear' | undefined
  readonly minFilter?: 'nearest' | 'linear' | undefined
  readonly mipmapFilter?: 'nearest' | 'linear' | undefined
}

/** Textures and samplers by name. */
export interface TextureResources {
  readonly textures?: Readonly<Record<string, TextureData>> | undefined
  readonly samplers?: Readonly<Record<string, SamplerData>> | undefined
}

/** What textures and samplers are to a machine. */
interface Bound {
  readonly buffers: Record<string, BufferData>
  /** Writes back what the kernel wrote. */
  readonly back: () => void
}

/** A texture that lies in buffers, since the target has none. */
interface EmulatedTexture {
  /** The buffers of its texels, and of its width, height and number of levels. */
  readonly texels: string
  readonly shape: string
  readonly kind: Kind
}

type Kind = 'f32' | 'i32' | 'u32'

const arrays = { f32: Float32Array, i32: Int32Array, u32: Uint32Array } as const
const modes = ['clamp-to-edge', 'repeat', 'mirror-repeat'] as const

/** Refuses what holds no resources by name, and descriptions of textures and samplers that are none. */
export function refuseWrong(given: TextureResources, owner: string): void {
  const group = wrongGroup(given, owner)
  if (group !== undefined) throw new BufferError(group)
  const { textures = {}, samplers = {} } = given
  const wrong = [
    ...(Object.entries(textures) as [string, unknown][]).map(([name, given]) =>
      given === undefined ? undefined : wrongTexture(name, given, 2),
    ),
    ...(Object.entries(samplers) as [string, unknown][]).map(([name, given]) =>
      given === undefined ? undefined : wrongSampler(name, given),
    ),
  ].find(w => w !== undefined)
  if (wrong !== undefined) throw new BufferError(wrong)
}

/** The textures and samplers among shader parameters. */
export class Textures {
  readonly #owner: string
  readonly #used: ReadonlySet<string>
  readonly #written: ReadonlySet<string>
  readonly #textures = new Map<string, EmulatedTexture>()
  /** The buffers that say how samplers address and filter. */
  readonly #samplers = new Map<string, string>()

  /** `owner` names in errors what has them; `used` are the buffers that it uses, with those that the program writes. */
  constructor(owner: string, parts: readonly Part[], used: Iterable<string>, buffers: readonly WasmBuffer[]) {
    this.#owner = owner
    this.#used = new Set(used)
    this.#written = new Set(buffers.filter(b => b.writable).map(b => b.name))
    const kindOf = (binding: string): Kind => {
      const elem = buffers.find(b => b.name === binding)?.elem
      return elem?.kind === 'vector' && (elem.scalar === 'i32' || elem.scalar === 'u32') ? elem.scalar : 'f32'
    }
    const all = new Map(parts.map(p => [JSON.stringify(p.path), p]))
    for (const { path, binding } of parts) {
      const inner = path.slice(0, -1)
      const name = inner.join('_')
      if (path.at(-1) === '__texels')
        this.#textures.set(name, {
          texels: binding,
          shape: all.get(JSON.stringify([...inner, '__shape']))!.binding,
          kind: kindOf(binding),
        })
      if (path.at(-1) === '__modes') this.#samplers.set(name, binding)
    }
  }

  /** How many texels the texture has whose texels lie in a buffer; undefined where it is not given. */
  texels(binding: string, { textures }: TextureResources): number | undefined {
    const [name] = [...this.#textures].find(([, p]) => p.texels === binding) ?? []
    const size = name === undefined ? undefined : textures?.[name]?.size
    return size?.reduce((a, b) => a * b, 1)
  }

  /** How the samplers address, where they agree and filter linearly. */
  address({ samplers }: TextureResources): readonly [number, number] | undefined {
    const all = [...this.#samplers.keys()].map(name => samplers?.[name] ?? {})
    if (all.some(s => s.magFilter === 'nearest' || s.minFilter === 'nearest')) return undefined
    const [first = [0, 0] as const, ...others] = all.map(addressing)
    return others.every(a => a[0] === first[0] && a[1] === first[1]) ? first : undefined
  }

  /** Makes buffers of the given textures and samplers. */
  bind({ textures = {}, samplers = {} }: TextureResources): Bound {
    const buffers: Record<string, BufferData> = {}
    const writes: (() => void)[] = []
    const unknown = (what: string, given: object, known: Iterable<string>): void => {
      const wrong = unknownName(given, () => known, `${this.#owner} uses no ${what}`)
      if (wrong !== undefined) throw new BufferError(wrong)
    }
    unknown('texture', textures, this.#textures.keys())
    unknown('sampler', samplers, this.#samplers.keys())
    for (const [name, texture] of this.#textures) {
      const given = textures[name]
      const [texelsUsed, shapeUsed] = [this.#used.has(texture.texels), this.#used.has(texture.shape)]
      if (given === undefined) {
        if (texelsUsed || shapeUsed)
          throw new BufferError(`${this.#owner} needs the texture ${name}: textures: { ${name}: { size, data } }`)
        continue
      }
      const [width = 1, height = 1] = given.size
      buffers[texture.shape] = new Uint32Array([width, height, 1])
      if (!texelsUsed) continue
      const format = formatOf(name, given, texture.kind, width * height)
      const texels = new arrays[texture.kind](width * height * 4)
      if (given.data !== undefined) decode(given.data, format, texels)
      buffers[texture.texels] = texels
      if (given.data !== undefined && this.#written.has(texture.texels))
        writes.push(() => encode(texels, format, given.data!))
    }
    for (const [name, binding] of this.#samplers) {
      const given = samplers[name] ?? {}
      const nearest = [given.magFilter, given.minFilter, given.mipmapFilter].map(f => Number(f === 'nearest'))
      buffers[binding] = new Uint32Array([...addressing(given), ...nearest])
    }
    return {
      buffers,
      back: () => {
        for (const write of writes) write()
      },
    }
  }
}

/** Random contents of a buffer that says what a texture or sampler is like: few texels, read linearly; undefined for other buffers. */
export function texturePart(name: string, random: () => number): number[] | undefined {
  const below = (n: number): number => Math.floor(random() * n)
  if (name.endsWith('___shape')) return [1 + below(8), 1 + below(8), 1]
  return name.endsWith('___modes') ? [below(3), below(3), 0, 0, 0] : undefined
}

function addressing({ addressModeU = modes[0], addressModeV = modes[0] }: SamplerData): readonly [number, number] {
  return [modes.indexOf(addressModeU), modes.indexOf(addressModeV)]
}

// ── Formats ──────────────────────────────────────────────────────────────────────────────────────────────────────

interface Format {
  readonly channels: number
  readonly bits: number
  readonly type: string
  readonly isSrgb: boolean
  /** Which channel of a texel each in memory is. */
  readonly order: readonly number[]
}

function formatOf(name: string, { format, data }: TextureData, kind: Kind, texels: number): Format {
  const guessed = format ?? guess(data, kind, texels)
  const [, letters = '', bits = '0', type = '', srgb] =
    /^(r|rg|rgba|bgra)(8|16|32)(unorm|snorm|uint|sint|float)(-srgb)?$/.exec(guessed) ?? []
  const made = {
    channels: letters.length,
    bits: Number(bits),
    type,
    isSrgb: srgb !== undefined,
    order: [...letters].map(c => 'rgba'.indexOf(c)),
  }
  const fits =
    kind === 'i32'
      ? type === 'sint'
      : kind === 'u32'
        ? type === 'uint'
        : type === 'unorm' || type === 'snorm' || type === 'float'
  if (!fits || (type === 'float' ? made.bits === 8 : type.endsWith('norm') && made.bits === 32)) {
    throw new BufferError(
      `texture ${name}: the program has texels of ${{ f32: 'floats', i32: 'int', u32: 'uint' }[kind]}, and the format is ${guessed}`,
    )
  }
  const bytes = (texels * made.channels * made.bits) / 8
  if (data !== undefined && data.byteLength !== bytes)
    throw new BufferError(
      `texture ${name}: expected ${bytes} bytes for ${texels} texels of ${guessed}, but ${data.byteLength} came`,
    )
  return made
}

function guess(data: ArrayBufferView | undefined, kind: Kind, texels: number): string {
  const suffix = { f32: 'float', i32: 'sint', u32: 'uint' }[kind]
  if (data === undefined) return `rgba32${suffix}`
  const isBytes = data instanceof Uint8Array || data instanceof Uint8ClampedArray
  const channels = data.byteLength / (isBytes ? 1 : 4) / texels
  return `${'rgba'.slice(0, channels === 1 || channels === 2 ? channels : 4)}${isBytes ? `8${kind === 'f32' ? 'unorm' : suffix}` : `32${suffix}`}`
}

function decode(data: ArrayBufferView, format: Format, texels: Float32Array | Int32Array | Uint32Array): void {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const { channels, order } = format
  for (let i = 0; i < texels.length / 4; i++) {
    texels[i * 4 + 3] = 1
    for (let c = 0; c < channels; c++) texels[i * 4 + order[c]!] = take(view, i * channels + c, format, order[c]!)
  }
}

function encode(texels: Float32Array | Int32Array | Uint32Array, format: Format, data: ArrayBufferView): void {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const { channels, order } = format
  for (let i = 0; i < texels.length / 4; i++)
    for (let c = 0; c < channels; c++) put(view, i * channels + c, format, order[c]!, texels[i * 4 + order[c]!]!)
}

function take(view: DataView, at: number, { bits, type, isSrgb }: Format, channel: number): number {
  const bytes = bits / 8
  const signed = type === 'snorm' || type === 'sint'
  if (type === 'float') return bits === 32 ? view.getFloat32(at * 4, true) : fromHalf(view.getUint16(at * 2, true))
  const whole =
    bytes === 1
      ? signed
        ? view.getInt8(at)
        : view.getUint8(at)
      : bytes === 2
        ? signed
          ? view.getInt16(at * 2, true)
          : view.getUint16(at * 2, true)
        : signed
          ? view.getInt32(at * 4, true)
          : view.getUint32(at * 4, true)
  if (!type.endsWith('norm')) return whole
  const x = Math.max(whole / (2 ** (signed ? bits - 1 : bits) - 1), -1)
  return isSrgb && channel < 3 ? (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4) : x
}

function put(view: DataView, at: number, { bits, type, isSrgb }: Format, channel: number, value: number): void {
  const bytes = bits / 8
  if (type === 'float') {
    if (bits === 32) view.setFloat32(at * 4, value, true)
    else view.setUint16(at * 2, halfBits(value), true)
    return
  }
  const signed = type === 'snorm' || type === 'sint'
  const x = isSrgb && channel < 3 ? (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055) : value
  const least = signed ? -1 : 0
  const whole = type.endsWith('norm')
    ? Math.round(Math.min(Math.max(Number.isNaN(x) ? 0 : x, least), 1) * (2 ** (signed ? bits - 1 : bits) - 1))
    : value
  if (bytes === 1) view.setInt8(at, whole)
  else if (bytes === 2) view.setInt16(at * 2, whole, true)
  else view.setInt32(at * 4, whole, true)
}
