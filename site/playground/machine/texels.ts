/** Formats of textures: how many channels, and how the numbers of a channel lie. */

/** A format whose texels can be filled and shown. */
export interface Format {
  readonly channels: 1 | 2 | 4
  readonly bits: 8 | 16 | 32
  readonly kind: 'unorm' | 'snorm' | 'uint' | 'sint' | 'float'
  readonly swapped: boolean
}

/** What WebGPU's name of a format says; undefined for formats that cannot be filled from memory here. */
export function formatOf(name: string): Format | undefined {
  const [, channels, bits, kind] = /^(r|rg|rgba|bgra)(8|16|32)(unorm|snorm|uint|sint|float)$/.exec(name) ?? []
  if (channels === undefined) return undefined
  return {
    channels: channels.length as 1 | 2 | 4,
    bits: Number(bits) as 8 | 16 | 32,
    kind: kind as Format['kind'],
    swapped: channels === 'bgra',
  }
}

/** Bytes of a texel. */
export function texelBytes({ channels, bits }: Format): number {
  return (channels * bits) / 8
}

/** Zeros for so many texels, as the kind of array that hosts take. */
export function blackTexels(
  format: Format,
  count: number,
): Uint8Array<ArrayBuffer> | Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint32Array<ArrayBuffer> {
  const n = count * format.channels
  if (format.bits === 32)
    return format.kind === 'float'
      ? new Float32Array(n)
      : format.kind === 'sint'
        ? new Int32Array(n)
        : new Uint32Array(n)
  return new Uint8Array((n * format.bits) / 8)
}

/** Texels as a picture: RGBA of eight bits, opaque where there is no alpha. One channel is grey. Undefined for formats that are no colours. */
export function pictureOf(format: Format, bytes: Uint8Array): Uint8ClampedArray<ArrayBuffer> | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const size = texelBytes(format)
  const read = reader(format, view)
  if (read === undefined) return undefined
  const picture = new Uint8ClampedArray((bytes.byteLength / size) * 4)
  const channel = format.swapped
    ? [2, 1, 0, 3]
    : format.channels === 1
      ? [0, 0, 0]
      : format.channels === 2
        ? [0, 1]
        : [0, 1, 2, 3]
  for (let texel = 0; texel < bytes.byteLength / size; texel++) {
    for (let c = 0; c < 4; c++) {
      const from = channel[c]
      picture[texel * 4 + c] =
        from === undefined ? (c === 3 ? 255 : 0) : Math.round(read(texel * size + (from * format.bits) / 8) * 255)
    }
  }
  return picture
}

function reader({ bits, kind }: Format, view: DataView): ((offset: number) => number) | undefined {
  if (kind === 'unorm' && bits === 8) return at => view.getUint8(at) / 255
  if (kind === 'float' && bits === 32) return at => view.getFloat32(at, true)
  return undefined
}
