/** Requests and events of training. */
import type { Json, ProjectFile } from '../project/project.ts'
import type { Plan } from '../train/plan.ts'
import type { Stop } from '../train/trace.ts'
import { event, request } from './protocol.ts'
import type { Backend } from './run-protocol.ts'

export interface OpenAsk {
  /** The number of this session: what the worker tells carries it. */
  readonly id: number
  readonly files: readonly ProjectFile[]
  readonly backend: Backend
  /** What the project says of training. It comes from anywhere, so the worker checks it. */
  readonly plan: Json | undefined
  /** Whether to go on from where the last session of the same program and plan was. */
  readonly goesOn: boolean
}

/** A function or kernel that can be trained, and what of it can change. */
export interface Subject {
  readonly name: string
  readonly kind: 'function' | 'kernel'
  readonly picks: readonly string[]
  /** What else a function is called with. */
  readonly others: readonly string[]
}

/** One number that is trained: its place among all of them, and its name. */
export interface Shown {
  readonly at: number
  readonly name: string
}

/** What is trained of one parameter or buffer. */
export interface ShownSlice {
  readonly name: string
  /** How many numbers it has. */
  readonly count: number
  /** The first of them. */
  readonly shown: readonly Shown[]
}

/** How training stands. */
export interface Told {
  readonly id: number
  readonly step: number
  readonly loss: number
  readonly stepsPerSecond: number
  readonly playing: boolean
  /** Numbers that are shown, in the order of the slices, with their gradients. */
  readonly numbers: Float32Array
  readonly gradients: Float32Array
  /** The length of the gradient of each slice. */
  readonly lengths: readonly number[]
  /** The curve of losses: step and loss by turns. It comes less often than the rest. */
  readonly curve?: Float32Array
  readonly stopped?: Stop
}

export interface Opened {
  readonly id: number
  readonly backend: Backend
  readonly subjects: readonly Subject[]
  /** The plan that is trained: that of the project, or one to begin with. */
  readonly plan: Plan
  /** Why that is not the plan of the project; empty where it is. */
  readonly note: string
  readonly slices: readonly ShownSlice[]
  readonly told: Told
}

/** Opens a session in place of the one that is open, paused and with its first loss. */
export const open = request<OpenAsk, Opened>('train-open')
/** Closes the session. */
export const close = request<object, object>('train-close')
/** Takes steps until `pause`. */
export const play = request<{ readonly id: number }, object>('train-play')
export const pause = request<{ readonly id: number }, object>('train-pause')
/** One step. */
export const step = request<{ readonly id: number }, object>('train-step')
/** Back to step 0. */
export const reset = request<{ readonly id: number }, object>('train-reset')
/** Gives one number another value. */
export const set = request<{ readonly id: number; readonly at: number; readonly value: number }, object>('train-set')
/** Other rates, from the next step on. */
export const tune = request<
  { readonly id: number; readonly optimizer: Plan['optimizer']; readonly speed: number | undefined },
  object
>('train-tune')
/** The picture of the state as it is; undefined where the plan has none. */
export const picture = request<
  { readonly id: number; readonly size: readonly [number, number] },
  { readonly size: readonly [number, number]; readonly data: Uint8ClampedArray<ArrayBuffer> } | undefined
>('train-picture')

/** How training stands, about 30 times a second while it plays. */
export const told = event<Told>('trained')
/** Training ended by an error. */
export const fell = event<{ readonly id: number; readonly message: string }>('train-fell')
