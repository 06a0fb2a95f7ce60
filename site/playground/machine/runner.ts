/** What runs a planned program, on whichever backend. */
import type { Threads } from 'cotangent/cpu'
import type { BufferPlan, Moment } from './plan.ts'

/** Bytes of a picture, or of a texture, row by row from the top. */
export interface Picture {
  readonly size: readonly [number, number]
  readonly data: Uint8ClampedArray<ArrayBuffer>
}

export interface Runner {
  /** How many threads of the CPU it has; undefined on a device. */
  readonly threads: Threads | undefined
  /** Runs the kernels of a frame and shows the picture. The first frame also runs those that run once. */
  frame(moment: Moment, isFirst: boolean): Promise<void>
  /** What was printed since this was called last. */
  printed(): Promise<string>
  /** The first bytes of a buffer. */
  bytes(buffer: BufferPlan, most: number): Promise<Uint8Array<ArrayBuffer>>
  picture(): Promise<Picture | undefined>
  /** Frees what the runner holds. */
  end(): void
}

/** The first contents of a buffer. */
export function contents({ elements, stride, fill }: BufferPlan): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.max(4, Math.ceil((elements * stride) / 4) * 4))
  if (fill === 'random') {
    const numbers = new Float32Array(bytes.buffer)
    for (let i = 0; i < numbers.length; i++) numbers[i] = Math.random()
  }
  return bytes
}

/** Shows a picture in a canvas that takes pixels. */
export function put(context: OffscreenCanvasRenderingContext2D, { size, data }: Picture): void {
  const { canvas } = context
  const [width, height] = size
  if (canvas.width !== width) canvas.width = width
  if (canvas.height !== height) canvas.height = height
  context.putImageData(new ImageData(data, width, height), 0, 0)
}
