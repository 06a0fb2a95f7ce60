import { fork, type ChildProcess } from 'node:child_process'
import type { BindingInfo } from '../../src/target/reflect.ts'
import { gpuEnv } from '../../tools/gpu-env.mjs'
import { setting } from './setting.ts'

/** What the WebGPU implementation says of a module. */
export interface Message {
  readonly type: 'error' | 'warning' | 'info'
  readonly text: string
}

/** Contents of a buffer to bind. */
export interface GpuBuffer {
  readonly group: number
  readonly binding: number
  readonly kind: 'storage' | 'read-only-storage' | 'uniform'
  readonly bytes: Uint8Array
}

/** A texture to bind, as WebGPU describes it, with its contents. */
export interface GpuTexture {
  readonly group: number
  readonly binding: number
  readonly kind: 'texture' | 'storage-texture'
  /** The entry of the bind group's layout; not needed to draw. */
  readonly layout?: object
  readonly texture: {
    readonly size: readonly number[]
    readonly format: string
    readonly dimension?: string
    readonly mipLevelCount?: number
    readonly data?: ArrayBufferView
    readonly bytesPerTexel?: number
    readonly view?: object
  }
}

/** A sampler to bind. */
export interface GpuSampler {
  readonly group: number
  readonly binding: number
  readonly kind: 'sampler'
  readonly layout?: string
  readonly sampler: object
}

export type GpuResource = GpuBuffer | GpuTexture | GpuSampler

/** What to draw into square targets of four floats a pixel. */
export interface Drawing {
  readonly vertex: string
  readonly fragment: string
  readonly vertexBuffers: readonly {
    readonly bytes: Uint8Array
    readonly stride: number
    readonly perInstance?: boolean
    readonly attributes: readonly object[]
  }[]
  readonly bindings: readonly GpuResource[]
  readonly targets: readonly string[]
  readonly size: number
  readonly count: number
  readonly instances: number
  readonly depth?: boolean
}

interface Answer {
  readonly id: number
  readonly fatal?: string
  readonly ready?: string
  /** Nothing is left to compile; the answer itself follows. */
  readonly began?: boolean
  readonly messages?: readonly Message[]
  readonly pictures?: readonly Uint8Array[]
  readonly buffers?: readonly { readonly group: number; readonly binding: number; readonly bytes: Uint8Array }[]
}

const patience = 1000 * setting('GPU_PATIENCE', 60)

/** A process that owns a device, and who waits for its answers. */
interface Worker {
  readonly process: ChildProcess
  readonly waiting: Map<number, (answer: Answer) => void>
}

let worker: Promise<Worker> | undefined
let nextId = 1

function start(): Promise<Worker> {
  const child = fork(new URL('./dawn-worker.mjs', import.meta.url), {
    env: gpuEnv(),
    serialization: 'advanced',
    execArgv: [],
  })
  const waiting: Worker['waiting'] = new Map()
  child.on('message', (answer: Answer) => {
    waiting.get(answer.id)?.(answer)
    if (answer.began !== true) waiting.delete(answer.id)
  })
  const started = new Promise<Worker>((resolve, reject) => {
    waiting.set(0, answer => {
      if (answer.fatal === undefined) resolve({ process: child, waiting })
      else
        reject(
          new Error(
            `WebGPU is needed for this test: ${answer.fatal}. Install a driver, for instance by apt-get install chromium`,
          ),
        )
    })
  })
  const gone = (): void => {
    if (worker === started) worker = undefined
    for (const [id, answer] of waiting) answer({ id, fatal: 'the WebGPU process ended' })
    waiting.clear()
  }
  child.on('exit', gone)
  child.on('error', gone)
  return started
}

/** The implementation takes too long to compile, or ends meanwhile: SwiftShader does both with some large functions. Nothing was run. */
export class NotCompiled extends Error {}

async function ask(request: object): Promise<Answer> {
  worker ??= start()
  const asked = worker
  const { process: child, waiting } = await asked
  const id = nextId++
  return new Promise((resolve, reject) => {
    let compiling = true
    const fail = (why: string): void => reject(compiling ? new NotCompiled(`${why}, still compiling`) : new Error(why))
    const clock = setTimeout(() => {
      waiting.delete(id)
      if (worker === asked) worker = undefined
      child.kill('SIGKILL')
      fail(`no answer from the GPU within ${patience / 1000} s`)
    }, patience)
    waiting.set(id, answer => {
      if (answer.began === true) {
        compiling = false
        clock.refresh()
        return
      }
      clearTimeout(clock)
      if (answer.fatal === undefined) resolve(answer)
      else fail(answer.fatal)
    })
    child.send({ id, ...request })
  })
}

/** Compiles WGSL on a real WebGPU implementation; gives its errors and warnings. */
export async function compileWgsl(wgsl: string): Promise<readonly Message[]> {
  return (await ask({ wgsl })).messages ?? []
}

/** Fails with the messages and the numbered text where the implementation refuses the WGSL. */
export function refuse(wgsl: string, messages: readonly Message[]): void {
  const errors = messages.filter(m => m.type === 'error')
  if (errors.length === 0) return
  const numbered = wgsl
    .split('\n')
    .map((line, i) => `${String(i + 1).padStart(4)}  ${line}`)
    .join('\n')
  throw new Error(`WebGPU refuses the WGSL:\n${errors.map(e => e.text).join('\n')}\n${numbered}`)
}

/** Runs an entry point; gives the contents of the writable buffers by `group:binding`. */
export async function runWgsl(
  wgsl: string,
  entry: string,
  buffers: readonly GpuResource[],
  dispatch: readonly [number, number, number],
): Promise<Map<string, Uint8Array>> {
  const answer = await ask({ wgsl, entry, buffers, dispatch })
  refuse(wgsl, answer.messages ?? [])
  return new Map((answer.buffers ?? []).map(b => [`${b.group}:${b.binding}`, b.bytes]))
}

/** Draws; gives the contents of each target. */
export async function drawWgsl(wgsl: string, drawing: Drawing): Promise<readonly Float32Array[]> {
  const answer = await ask({ wgsl, ...drawing })
  refuse(wgsl, answer.messages ?? [])
  return (answer.pictures ?? []).map(p => new Float32Array(p.slice().buffer))
}

/** Runs an entry point with buffers by name; gives the writable ones by name. */
export async function runByName(
  wgsl: string,
  entry: string,
  bindings: readonly BindingInfo[],
  data: Readonly<Record<string, Uint8Array>>,
  dispatch: readonly [number, number, number],
): Promise<Record<string, Uint8Array>> {
  const buffers = bindings.map(b => {
    const bytes = data[b.name]
    if (bytes === undefined) throw new Error(`no data for ${b.name}`)
    if (b.kind === 'texture' || b.kind === 'storage-texture' || b.kind === 'sampler')
      throw new Error(`${b.name} is a ${b.kind}`)
    return { group: b.group, binding: b.binding, kind: b.kind, bytes }
  })
  const out = await runWgsl(wgsl, entry, buffers, dispatch)
  const named: Record<string, Uint8Array> = {}
  for (const b of bindings) {
    const bytes = out.get(`${b.group}:${b.binding}`)
    if (bytes !== undefined) named[b.name] = bytes
  }
  return named
}

/** Ends the WebGPU process; call it after the last test of a file. */
export function closeGpu(): void {
  worker?.then(
    ({ process: child }) => child.kill('SIGKILL'),
    () => undefined,
  )
  worker = undefined
}
