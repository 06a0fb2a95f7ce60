/** Requests and events of compiling and running a program. */
import type { Threads } from 'cotangent/cpu'
import type { ProjectFile } from '../project/project.ts'
import { event, request, type Problem } from './protocol.ts'

/** Where a program runs. */
export type Backend = 'webgpu' | 'cpu'

/** A uniform that the visitor sets. */
export type Control =
  | {
      readonly kind: 'slider'
      readonly name: string
      readonly value: number
      readonly min: number
      readonly max: number
    }
  | { readonly kind: 'color'; readonly name: string; readonly value: readonly [number, number, number] }
  | { readonly kind: 'number'; readonly name: string; readonly value: number; readonly whole: boolean }

/** Numbers of a buffer: its first rows, one for each element. */
export interface BufferTable {
  readonly name: string
  /** How many elements the buffer has, of which `rows` may be the first. */
  readonly elements: number
  /** One name for each number of an element: `x`, `y`, `position.x`. One empty name where an element is a number. */
  readonly columns: readonly string[]
  readonly rows: readonly (readonly number[])[]
}

/** What the visitor does to the picture, as programs see it. */
export interface Input {
  /** Values of controls by name. */
  readonly controls?: Readonly<Record<string, number | readonly number[]>>
  /** Where the pointer is and where it was pressed, in pixels of the picture; whether it is down, and was ever pressed. */
  readonly mouse?: {
    readonly at: readonly [number, number]
    readonly pressed: readonly [number, number]
    readonly down: boolean
    readonly clicked: boolean
  }
  /** Keys that are down, by `code` and by `key`. */
  readonly keys?: readonly string[]
}

export interface RunAsk {
  readonly files: readonly ProjectFile[]
  readonly backend: Backend
  readonly size: readonly [number, number]
  /** A canvas to draw to, where the worker has none for this backend. A canvas belongs to one backend for ever. */
  readonly canvas?: OffscreenCanvas
}

export interface RunAnswer {
  /** Warnings; a program with errors is a failure. */
  readonly problems: readonly Problem[]
  readonly controls: readonly Control[]
  /** How many entry points the program has; without one, nothing ran. */
  readonly entries: number
  /** Whether there is a picture. */
  readonly picture: boolean
  /** Whether frames follow each other until `pause`. */
  readonly animated: boolean
  /** How many threads of the CPU run it; undefined on a device, and where nothing ran. */
  readonly threads: Threads | undefined
  /** Milliseconds of compiling, and of the first frame. */
  readonly compiled: number
  readonly ran: number
}

/** Whether there is WebGPU here, and if not, why. */
export const prepare = request<object, { readonly webgpu: boolean; readonly why: string }>('prepare')
/** Compiles a program, which `run` then need not do. A program with errors is a failure; warnings are the answer. */
export const compile = request<{ readonly files: readonly ProjectFile[] }, readonly Problem[]>('compile')
/** Compiles and runs a program in place of the one that runs. Answers after its first frame. */
export const run = request<RunAsk, RunAnswer>('run')
/** Changes inputs of the program that runs. */
export const input = request<Input, object>('input')
/** Lets frames go on, or stops them. */
export const play = request<{ readonly on: boolean }, object>('play')
/** The first rows of each buffer. */
export const buffers = request<object, readonly BufferTable[]>('buffers')
/** The picture as RGBA, eight bits a channel, from the top; undefined where there is none. */
export const pixels = request<
  object,
  { readonly size: readonly [number, number]; readonly data: Uint8ClampedArray<ArrayBuffer> } | undefined
>('pixels')

/** What a frame printed, in place of what the frame before it printed. */
export const printed = event<{ readonly text: string }>('printed')
/** A frame is done. */
export const frame = event<{ readonly number: number; readonly milliseconds: number }>('frame')
/** A program that ran has stopped by a mistake. */
export const stopped = event<{ readonly message: string }>('stopped')
/** The device is lost: the program stopped, and the next run asks for another device. */
export const lost = event<{ readonly message: string }>('lost')
