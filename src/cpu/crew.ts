/** The instances of one module in the workers of a team: their regions of memory, and what these need before each dispatch. */
import type { WasmInterface } from '../index.ts'
import { setTape, type CompiledModule, type Tape } from './job.ts'
import { align, type ProgramMemory } from './memory.ts'
import { mayWait, type Part, type Shared, type Team } from './team.ts'

/** Bytes that the regions of workers take at most. */
export const mostRegions: number = 2 ** 30

/** A dispatch whose resources lie in memory. */
export interface Dispatch {
  readonly kernel: string
  readonly groups: readonly [number, number, number]
  /** Workgroups `from` up to `to` are to run. */
  readonly from: number
  readonly to: number
  /** How many run at once, so that fewer at a time do not pay. */
  readonly least: number
  /** Runs some of them on this thread. */
  readonly run: (from: number, to: number) => void
  /** Where the region of this thread's instance begins. */
  readonly base: number
  /** The end of the memory that is in use. */
  readonly top: number
  /** Values of exported globals: where the buffers lie. */
  readonly globals: () => Part['globals']
  /** What a failed check of the instance says whose region begins at `base`. */
  readonly trap: (id: number, base: number) => Error
}

export class Crew {
  readonly #memory: ProgramMemory
  readonly #team: Team
  readonly #module: CompiledModule
  readonly #host: WasmInterface
  readonly #machine: number
  /** Whether `run` can be called; the main thread of a page may not wait. */
  readonly #waits = mayWait()
  #regions: readonly number[] | undefined
  /** Workers that have the module, by number. */
  readonly #known = new Set<number>()
  /** Milliseconds that one thread took for a workgroup of a kernel, when it ran last. */
  readonly #paces = new Map<string, number>()

  private constructor(memory: ProgramMemory, team: Team, module: CompiledModule, host: WasmInterface) {
    this.#memory = memory
    this.#team = team
    this.#module = module
    this.#host = host
    this.#machine = team.join()
  }

  /**
   * The crew of a module; undefined where one thread has to run it: lines that are printed come in the order of workgroups, and one
   * counter counts the trips of all.
   */
  static of(memory: ProgramMemory, team: Team, module: CompiledModule, host: WasmInterface): Crew | undefined {
    if (host.prints.length > 0 || host.limits?.trips !== undefined) return undefined
    if (host.heap * team.size > mostRegions) return undefined
    return new Crew(memory, team, module, host)
  }

  get waits(): boolean {
    return this.#waits
  }

  /** Takes memory for good, the first time: before anything is placed behind that. */
  assemble(): void {
    this.#regions ??= Array.from({ length: this.#team.size }, () => this.#memory.region(this.#host.heap))
  }

  /** Runs workgroups in this thread and in others, and waits. */
  run(dispatch: Dispatch): void {
    const { kernel, run } = dispatch
    let tapes: readonly Tape[] = []
    const begin = (): void => {
      tapes = this.#tapes(dispatch)
      if (tapes[0] !== undefined) setTape(this.#memory.buffer, tapes[0])
    }
    try {
      const shared = this.#shared(dispatch, () => tapes)
      this.#paces.set(kernel, this.#team.run(shared, this.#paces.get(kernel), run, begin))
    } finally {
      // Alone again, the caller's tape has all memory.
      if (tapes[0] !== undefined) setTape(this.#memory.buffer, { ...tapes[0], end: this.#memory.tapeEnd })
    }
  }

  /** Runs workgroups in workers; false where none can run. */
  async runAsync(dispatch: Dispatch): Promise<boolean> {
    if (!(await this.#team.ready())) return false
    const tapes = this.#tapes(dispatch)
    await this.#team.runAsync(this.#shared(dispatch, () => tapes))
    return true
  }

  #shared({ kernel, groups, from, to, least, base, globals, trap }: Dispatch, tapes: () => readonly Tape[]): Shared {
    const regions = this.#regions!
    return {
      from,
      to,
      least,
      part: worker => {
        const region = regions[worker]!
        this.#prepare(region, base)
        const first = this.#known.has(worker) ? undefined : { module: this.#module, base: region }
        this.#known.add(worker)
        return { machine: this.#machine, first, tape: tapes()[worker + 1], kernel, groups, globals: globals() }
      },
      trap: (id, worker) => trap(id, regions[worker]!),
    }
  }

  /** Gives a worker's region the uniforms and counters of the caller's. */
  #prepare(base: number, from: number): void {
    const bytes = new Uint8Array(this.#memory.buffer)
    const copy = (at: number, size: number): void => {
      bytes.copyWithin(base + at, from + at, from + at + size)
    }
    for (const { at, type } of this.#host.uniforms) copy(at, type.size)
    if (this.#host.limits !== null) for (const at of Object.values(this.#host.limits.cells)) copy(at, 4)
  }

  /** Divides all memory behind `top` among the tapes of the caller and of the workers; none for a module without lists. */
  #tapes({ base, top }: Dispatch): readonly Tape[] {
    const { tapeAt } = this.#host
    if (tapeAt === 0) return []
    const bases = [base, ...this.#regions!]
    const begin = align(top)
    // None grows memory by itself, which others might do at the same time.
    const room = Math.min(this.#memory.reserveAll(), this.#memory.tapeEnd) - begin
    const each = Math.floor(room / bases.length / 16) * 16
    return bases.map((at, k) => ({ at: at + tapeAt, start: begin + k * each, end: begin + (k + 1) * each }))
  }
}
