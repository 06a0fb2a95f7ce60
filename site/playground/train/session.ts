/** A training session: one program, one plan, one place to run, step by step. */
import type { Program } from 'cotangent'
import { onCpu } from './cpu.ts'
import { Curve } from './curve.ts'
import { rehearsed, type Evaluation, type Evaluator } from './evaluate.ts'
import { onGpu } from './gpu.ts'
import { leavesOf } from './layout.ts'
import { emptyMemory, optimize, type Memory, type Optimizer } from './optimizer.ts'
import { PlanError, type Plan } from './plan.ts'
import { taskOf, type Slice, type Task } from './task.ts'
import { traced, type Stop } from './trace.ts'

/**
 * Where a session runs. On a device that nothing watches, such as one in software, a step that hangs takes all pages of the browser with it; there each step is
 * rehearsed on the CPU, whose thread can be ended.
 */
export type Place =
  | { readonly backend: 'cpu' }
  | { readonly backend: 'webgpu'; readonly device: GPUDevice; readonly rehearses?: boolean | undefined }

/** What a session shows. `loss` and `gradients` are those of `parameters`, after `step` steps. */
export interface State {
  readonly step: number
  readonly loss: number
  readonly parameters: Float32Array
  readonly gradients: Float32Array
  /** Steps of the last second. */
  readonly stepsPerSecond: number
  /** Why it stopped; undefined while it can go on. */
  readonly stopped: Stop | undefined
}

/** All that another session needs to go on from here: on another backend, or with other rates. */
export interface Snapshot {
  readonly step: number
  readonly parameters: Float32Array
  readonly memory: Memory
}

export interface SessionOptions {
  /** A snapshot of a session of the same plan. Default: begin at step 0. */
  readonly from?: Snapshot | undefined
  /** Milliseconds of a clock, for steps per second. */
  readonly now?: (() => number) | undefined
  /** The curve of the session that the snapshot is from. Default: an empty one. */
  readonly curve?: Curve | undefined
  /** Who must know that this thread waits, or is busy for long. Default: nobody. */
  readonly watch?: Watch | undefined
}

/** Hears of work that may never end, or that keeps the thread from answering. */
export interface Watch {
  /** Work of the device or of the program. */
  readonly running: <T>(work: Promise<T>) => Promise<T>
  /** Work of the interpreter, which has limits of its own and takes longer. */
  readonly tracing: <T>(work: () => T) => T
}

const unwatched: Watch = { running: work => work, tracing: work => work() }

/** A picture as RGBA, eight bits a channel, from the top: what `ImageData` takes. */
export interface Picture {
  readonly size: readonly [number, number]
  readonly data: Uint8ClampedArray<ArrayBuffer>
}

/** A session does what it is asked one after the other, so nobody need wait before asking for more. */
export class Session {
  readonly plan: Plan
  readonly backend: Place['backend']
  /** The losses of all steps since it began or was reset. */
  readonly curve: Curve
  readonly #task: Task
  readonly #evaluator: Evaluator
  readonly #now: () => number
  readonly #watch: Watch
  /** When the steps of the last second ended. */
  #times: number[] = []
  #memory: Memory
  #optimizer: Optimizer
  #step = 0
  #parameters: Float32Array
  #evaluation: Evaluation = { loss: NaN, gradients: new Float32Array() }
  #stopped: Stop | undefined
  /** Ends when all that was asked is done. */
  #last: Promise<unknown> = Promise.resolve()

  private constructor(task: Task, evaluator: Evaluator, backend: Place['backend'], options: SessionOptions) {
    this.plan = task.plan
    this.backend = backend
    this.#task = task
    this.#evaluator = evaluator
    this.curve = options.curve ?? new Curve()
    this.#watch = options.watch ?? unwatched
    this.#now = options.now ?? (() => performance.now())
    this.#parameters = task.initial.slice()
    this.#memory = emptyMemory(task.initial.length)
    this.#optimizer = task.plan.optimizer
  }

  /**
   * Opens a session and takes the loss where it begins. Throws a `PlanError` for a plan that does not fit the program, and what the compiler or the device
   * throws.
   */
  static async open(program: Program, plan: Plan, place: Place, options: SessionOptions = {}): Promise<Session> {
    const task = taskOf(program, plan)
    const { from } = options
    if (from !== undefined && from.parameters.length !== task.initial.length)
      throw new RangeError(
        `the snapshot has ${from.parameters.length} numbers, and the plan trains ${task.initial.length}`,
      )
    const evaluator = await evaluatorAt(task, place)
    const session = new Session(task, evaluator, place.backend, options)
    try {
      await session.#begin(from)
    } catch (cause) {
      evaluator.close()
      throw cause
    }
    return session
  }

  /** What is trained, and where its numbers lie in `parameters` and `gradients`. */
  get slices(): readonly Slice[] {
    return this.#task.slices
  }

  /** The state as it is now. Its arrays are not changed later. */
  get state(): State {
    const { loss, gradients } = this.#evaluation
    return {
      step: this.#step,
      loss,
      parameters: this.#parameters,
      gradients,
      stepsPerSecond: this.#rate(),
      stopped: this.#stopped,
    }
  }

  /** The numbers that an element of a slice has in memory; others lie unused between them. */
  leavesOf({ pick, length }: Slice): { readonly offsets: readonly number[]; readonly stride: number } {
    const offsets = leavesOf(pick.type).map(l => l.offset / 4)
    // Arguments lie one after the other; elements of buffers lie as memory has them.
    return pick.kind === 'parameter'
      ? { offsets: offsets.map((_, i) => i), stride: length }
      : { offsets, stride: this.#task.contents.get(pick.name)!.stride }
  }

  get snapshot(): Snapshot {
    return { step: this.#step, parameters: this.#parameters, memory: this.#memory }
  }

  /** One step of the optimiser, and the loss after it. A session that has stopped stays as it is. */
  step(): Promise<State> {
    return this.#next(async () => {
      if (this.#stopped !== undefined) return this.state
      const next = optimize(this.#optimizer, this.#parameters, this.#evaluation.gradients, this.#memory)
      this.#parameters = next.parameters
      this.#memory = next.memory
      this.#step++
      await this.#evaluate()
      this.#times.push(this.#now())
      this.curve.add(this.#step, this.#evaluation.loss)
      return this.state
    })
  }

  /** Begins again at step 0. */
  reset(): Promise<State> {
    return this.#next(async () => {
      await this.#begin(undefined)
      return this.state
    })
  }

  /** Goes on with other numbers, as a slider sets them; what the optimiser remembers stays. Throws a `RangeError` for another number of them. */
  set(parameters: Float32Array): Promise<State> {
    return this.#next(async () => {
      if (parameters.length !== this.#parameters.length)
        throw new RangeError(`${parameters.length} numbers for ${this.#parameters.length} parameters`)
      this.#parameters = parameters.slice()
      this.#stopped = undefined
      await this.#evaluate()
      return this.state
    })
  }

  /** How the next steps are taken. At first that of the plan. Another kind forgets what the one before remembered; another rate does not. */
  get optimizer(): Optimizer {
    return this.#optimizer
  }

  set optimizer(optimizer: Optimizer) {
    if (optimizer.kind !== this.#optimizer.kind) this.#memory = emptyMemory(this.#parameters.length)
    this.#optimizer = optimizer
  }

  /** The picture of the state as it is now; undefined if the plan names no kernel that draws one. */
  picture(size: readonly [number, number]): Promise<Picture | undefined> {
    return this.#next(async () => {
      const { picture } = this.plan
      if (picture === undefined) return undefined
      if (!this.#task.program.entries.some(e => e.name === picture && e.stage === 'compute'))
        throw new PlanError(`the program has no compute kernel ${picture}`)
      const floats = await this.#watch.running(this.#evaluator.draw(picture, this.#parameters, size))
      const data = new Uint8ClampedArray(floats.length)
      // A clamped array rounds, and takes 0 for a NaN.
      for (let i = 0; i < floats.length; i++) data[i] = floats[i]! * 255
      return { size, data }
    })
  }

  /** Gives memory back, when all that was asked is done. */
  close(): Promise<void> {
    return this.#next(() => Promise.resolve(this.#evaluator.close()))
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => undefined)
    return done
  }

  async #begin(from: Snapshot | undefined): Promise<void> {
    this.#parameters = (from?.parameters ?? this.#task.initial).slice()
    this.#memory = from?.memory ?? emptyMemory(this.#parameters.length)
    this.#step = from?.step ?? 0
    this.#times = []
    this.#stopped = undefined
    await this.#evaluate()
    // A session that goes on from another continues its curve.
    if (from === undefined) this.curve.clear()
    this.curve.add(this.#step, this.#evaluation.loss)
  }

  async #evaluate(): Promise<void> {
    this.#evaluation = await this.#watch.running(this.#evaluator.evaluate(this.#parameters))
    const { loss, gradients } = this.#evaluation
    const what = Number.isFinite(loss) ? (gradients.every(Number.isFinite) ? undefined : 'A gradient') : 'The loss'
    if (what !== undefined)
      this.#stopped = this.#watch.tracing(() =>
        traced(this.#task, this.#parameters, `${what} is not finite at step ${this.#step}`),
      )
  }

  #rate(): number {
    const since = this.#now() - 1000
    this.#times = this.#times.filter(t => t > since)
    return this.#times.length
  }
}

async function evaluatorAt(task: Task, place: Place): Promise<Evaluator> {
  if (place.backend === 'cpu') return await onCpu(task)
  const then = await onGpu(task, place.device)
  if (place.rehearses !== true) return then
  // What the CPU cannot run goes to the device unrehearsed.
  const first = await onCpu(task).catch(() => undefined)
  return first === undefined ? then : rehearsed(first, then)
}
