/** The instances of one module in the workers of a team: their regions of memory, and what these need before each dispatch. */
import type { WasmInterface } from '../index.ts'
import { setTape, type CompiledModule, type Job, type Tape } from './job.ts'
import { align, type ProgramMemory } from './memory.ts'
import type { Team } from './team.ts'

/** Where a tape may end at most: addresses have 32 bits, of which the last page stays unused. */
const tapeEnd = 2 ** 32 - 65536

export class Crew {
  readonly #memory: ProgramMemory
  readonly #team: Team
  readonly #module: CompiledModule
  readonly #host: WasmInterface
  readonly #machine: number
  #regions: readonly number[] | undefined
  /** Whether the workers have the module. */
  #known = false

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
    return new Crew(memory, team, module, host)
  }

  /** Takes memory for good, the first time: before anything is placed behind that. */
  assemble(): void {
    this.#regions ??= Array.from({ length: this.#team.size - 1 }, () => this.#memory.region(this.#host.heap))
  }

  /** Runs workgroups in all threads. `caller` says where the caller's region lies, and where the memory ends that is in use. */
  run(
    job: Omit<Job, 'machine' | 'first' | 'range' | 'tape'> & { readonly from: number; readonly to: number },
    caller: { readonly base: number; readonly top: number },
    own: (from: number, to: number) => void,
    trap: (id: number, base: number) => Error,
  ): void {
    const regions = this.#regions!
    const tapes = this.#tapes([caller.base, ...regions], caller.top)
    if (tapes[0] !== undefined) setTape(this.#memory.buffer, tapes[0])
    for (const base of regions) this.#prepare(base, caller.base)
    const module = this.#known ? undefined : this.#module
    this.#known = true
    try {
      this.#team.run(
        { ...job, machine: this.#machine },
        regions.map((base, k) => ({ base, tape: tapes[k + 1] })),
        module,
        own,
        (id, k) => trap(id, regions[k]!),
      )
    } finally {
      // Alone again, the caller's tape has all memory.
      if (tapes[0] !== undefined) setTape(this.#memory.buffer, { ...tapes[0], end: tapeEnd })
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

  /** Divides all memory behind `top` among the tapes of the instances whose regions begin there; none for a module without lists. */
  #tapes(bases: readonly number[], top: number): readonly Tape[] {
    const { tapeAt } = this.#host
    if (tapeAt === 0) return []
    const begin = align(top)
    // None grows memory by itself, which others might do at the same time.
    const room = Math.min(this.#memory.reserveAll(), tapeEnd) - begin
    const each = Math.floor(room / bases.length / 16) * 16
    return bases.map((base, k) => ({ at: base + tapeAt, start: begin + k * each, end: begin + (k + 1) * each }))
  }
}
