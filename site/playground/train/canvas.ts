/** The texture that a kernel draws to, in memory. */
import type { Reflection } from 'cotangent'
import { PlanError } from './plan.ts'

/** What a kernel draws to. */
export const target = 'outputTexture'

export interface Canvas {
  readonly texture: {
    readonly size: readonly [number, number]
    readonly format: 'rgba8unorm' | 'rgba32float'
    readonly data: Uint8Array<ArrayBuffer> | Float32Array<ArrayBuffer>
  }
  /** What was drawn, as four floats a pixel. */
  readonly floats: () => Float32Array
}

/** A texture of the format that the program declares. Throws a `PlanError` for formats that cannot be read from here. */
export function canvasFor(reflection: Reflection, size: readonly [number, number]): Canvas {
  const handle = reflection.bindings.find(b => b.name === target)?.handle
  const declared = handle?.kind === 'storage-texture' ? handle.storageTexture.format : 'rgba32float'
  const count = size[0] * size[1] * 4
  switch (declared) {
    case 'rgba32float': {
      const data = new Float32Array(count)
      return { texture: { size, format: declared, data }, floats: () => data }
    }
    case 'rgba8unorm': {
      const data = new Uint8Array(count)
      return { texture: { size, format: declared, data }, floats: () => Float32Array.from(data, byte => byte / 255) }
    }
    default:
      throw new PlanError(`${target} has the format ${declared}; a picture of training is rgba8 or rgba32f`)
  }
}
