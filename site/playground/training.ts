/** Trains the project: asks the machine, and keeps what came of it for all parts of the page. */
import type { Machine } from './machine/machine.ts'
import { Failed, type Request } from './machine/protocol.ts'
import { lost } from './machine/run-protocol.ts'
import * as protocol from './machine/train-protocol.ts'
import type { Opened, Told } from './machine/train-protocol.ts'
import type { Json, Project } from './project/project.ts'
import { Store } from './project/store.ts'
import type { Running } from './running.ts'
import type { Plan } from './train/plan.ts'

export type TrainingState =
  /** For the text to rest, or for the compiler. */
  | { readonly is: 'waiting' }
  | { readonly is: 'opening' }
  | { readonly is: 'ready'; readonly opened: Opened }
  | { readonly is: 'failed'; readonly message: string }

/** Training goes on by itself if no device was lost for so many milliseconds. */
const lossesApart = 20_000
/** How long edits of the plan rest before it is prepared again, in milliseconds. */
const rest = 250

export class Training {
  readonly state: Store<TrainingState> = new Store<TrainingState>({ is: 'waiting' })
  /** How it stands; undefined before the first loss is known. */
  readonly told: Store<Told | undefined> = new Store<Told | undefined>(undefined)
  /** The curve of losses as it was told last: step and loss by turns. */
  readonly curve: Store<Float32Array> = new Store<Float32Array>(new Float32Array())
  /** Whether the visitor wants it to go on. */
  readonly playing: Store<boolean> = new Store(false)
  readonly #machine: Machine
  readonly #project: Store<Project>
  readonly #running: Running
  /** The number of the session, which also tells a late answer from the one that is waited for. */
  #last = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Whether this program ended the worker: it is not tried again unless somebody asks for it. */
  #isRefused = false
  #lost = -Infinity
  /** Whether what changes in the project is known here already. */
  #isOwn = false
  /** Numbers that are still to be set. A slider tells more of them than a slow program can take: only the last of each counts. */
  readonly #wanted = new Map<number, number>()
  #isSetting = false

  constructor(machine: Machine, project: Store<Project>, running: Running) {
    this.#machine = machine
    this.#project = project
    this.#running = running
    machine.on(protocol.told, told => this.#hear(told))
    machine.on(protocol.fell, ({ id, message }) => {
      if (id === this.#last) this.#fail(message)
    })
    machine.on(lost, () => this.#recover())
    machine.onRestart(why => {
      const { is } = this.state.value
      this.#isRefused = is === 'opening' || is === 'ready' || running.state.value.is === 'failed'
      this.#last++
      if (this.#isRefused) this.#fail(why)
    })
    running.state.subscribe(state => {
      const isDone = state.is === 'done' || state.is === 'failed'
      const { is } = this.state.value
      if (isDone && !this.#isRefused && (is === 'waiting' || is === 'failed')) void this.#open(false)
    })
    project.subscribe((now, before) => {
      if (this.#isOwn) return
      if (now.files !== before.files) this.#forget()
      else if (now.backend !== before.backend) this.#move()
      else if (now.picks['train'] !== before.picks['train']) this.#replan(now, before)
    })
  }

  /** Begins to train, or does once the program is ready. */
  play(): void {
    this.playing.set(true)
    const { value } = this.state
    if (value.is === 'ready') this.#ask(protocol.play)
    else if (value.is !== 'opening') void this.#open(false)
  }

  pause(): void {
    this.playing.set(false)
    this.#ask(protocol.pause)
  }

  step(): void {
    this.playing.set(false)
    if (this.state.value.is === 'ready') this.#ask(protocol.step)
    else if (this.state.value.is !== 'opening') void this.#open(false)
  }

  /** Back to step 0, paused. */
  reset(): void {
    this.playing.set(false)
    if (this.state.value.is === 'ready') this.#ask(protocol.reset)
    else if (this.state.value.is !== 'opening') void this.#open(false)
  }

  /** Gives one number another value. */
  set(at: number, value: number): void {
    if (!Number.isFinite(value)) return
    this.#wanted.set(at, value)
    if (!this.#isSetting) void this.#setWanted()
  }

  /** Changes the plan of the project; undefined goes back to the one that training begins with by itself. */
  edit(plan: Plan | undefined): void {
    this.#project.change(p => {
      const { train: _, ...picks } = p.picks
      return { ...p, picks: plan === undefined ? picks : { ...picks, train: plan as unknown as Json } }
    })
  }

  /** Another program is about to be loaded: what is shown of this one goes at once. */
  leave(): void {
    this.#forget()
  }

  /** Replaces the project and prepares it at once, without waiting for the text to rest. */
  load(project: Project): void {
    this.#forget()
    this.#isOwn = true
    try {
      this.#project.set(project)
    } finally {
      this.#isOwn = false
    }
    void this.#open(false)
  }

  #ask(of: Request<{ readonly id: number }, object>): void {
    const id = this.#last
    this.#machine.ask(of, { id }).catch((cause: unknown) => {
      if (id === this.#last) this.#fail(cause instanceof Error ? cause.message : String(cause))
    })
  }

  async #setWanted(): Promise<void> {
    this.#isSetting = true
    for (const [at, value] of this.#wanted) {
      this.#wanted.delete(at)
      const id = this.#last
      try {
        await this.#machine.ask(protocol.set, { id, at, value })
      } catch (cause) {
        if (id === this.#last) this.#fail(cause instanceof Error ? cause.message : String(cause))
      }
    }
    this.#isSetting = false
  }

  async #open(goesOn: boolean): Promise<void> {
    clearTimeout(this.#timer)
    // They are places in the numbers of the session before.
    this.#wanted.clear()
    const own = ++this.#last
    if (!goesOn) this.#clear()
    this.state.set({ is: 'opening' })
    const backend = await this.#running.where()
    if (own !== this.#last) return
    const { files, picks } = this.#project.value
    try {
      const opened = await this.#machine.ask(protocol.open, { id: own, files, backend, plan: picks['train'], goesOn })
      if (own !== this.#last) return
      this.state.set({ is: 'ready', opened })
      this.#hear(opened.told)
      if (this.playing.value) this.#ask(protocol.play)
    } catch (cause) {
      if (own !== this.#last) return
      const hasProblems = cause instanceof Failed && cause.problems.length > 0
      const message = cause instanceof Error ? cause.message : String(cause)
      this.#fail(hasProblems ? `${message} Mend it, and it can be trained.` : message)
    }
  }

  #hear(told: Told): void {
    if (told.id !== this.#last) return
    if (told.curve !== undefined) this.curve.set(told.curve)
    this.told.set(told)
    if (told.stopped !== undefined) this.playing.set(false)
  }

  #fail(message: string): void {
    this.playing.set(false)
    this.state.set({ is: 'failed', message })
  }

  #clear(): void {
    this.told.set(undefined)
    this.curve.set(new Float32Array())
  }

  /** The program changes: what is trained is no longer what is in the editor. */
  #forget(): void {
    clearTimeout(this.#timer)
    this.#last++
    this.#isRefused = false
    this.playing.set(false)
    this.#clear()
    this.state.set({ is: 'waiting' })
    this.#machine.ask(protocol.close, {}).catch(() => {})
  }

  /** Goes on where it is, on the backend that is chosen now. */
  #move(): void {
    if (this.state.value.is === 'waiting') return
    this.#isRefused = false
    void this.#open(true)
  }

  #recover(): void {
    const { value } = this.state
    // A session on the CPU has lost nothing. One that failed a moment ago may have failed by this.
    if (value.is === 'waiting' || (value.is === 'ready' && value.opened.backend === 'cpu')) return
    const now = performance.now()
    if (now - this.#lost > lossesApart) void this.#open(true)
    else this.#fail('The device was lost again. Train asks for another one.')
    this.#lost = now
  }

  #replan(now: Project, before: Project): void {
    const [plan, old] = [now, before].map(p => p.picks['train'] as unknown as Partial<Plan> | undefined)
    const { value } = this.state
    const isReady = value.is === 'ready'
    // A form changes the plan that is trained, which has more than the project may say.
    const known = isReady ? value.opened.plan : old
    const keyOf = (p: Partial<Plan> | undefined): string => JSON.stringify({ ...p, optimizer: null, speed: null })
    if (isReady && plan?.optimizer !== undefined && keyOf(plan) === keyOf(known)) {
      const { optimizer, speed } = plan
      this.state.set({
        is: 'ready',
        opened: { ...value.opened, plan: { ...value.opened.plan, optimizer, speed } as Plan },
      })
      this.#machine.ask(protocol.tune, { id: this.#last, optimizer, speed }).catch(() => {})
      return
    }
    this.playing.set(false)
    this.#ask(protocol.pause)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#open(false), rest)
  }
}
