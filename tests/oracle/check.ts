/** A range of random programs, compared one by one. */
import { compare, type Outcome } from './compare.ts'
import { generate, type Part } from './generate.ts'
import type { Twist } from './meaning.ts'
import { shrink } from './shrink.ts'
import { textFor, type Target } from './targets.ts'
import type { Program } from './tree.ts'

export interface Settings {
  readonly seed: number
  readonly target: Target
  readonly size: number
  readonly without: ReadonlySet<Part>
  /** How many smaller programs to try where one disagrees. */
  readonly attempts: number
  readonly twist?: Twist
  /** Whether the IR is verified after each pass. */
  readonly verify?: boolean
}

/** What came of programs. */
export interface Tally {
  programs: number
  /** Numbers that were compared. */
  numbers: number
  /** Programs that could not be compared, by why. */
  skipped: Record<string, number>
  /** Disagreements, each with its smallest program. */
  failures: string[]
}

export const emptyTally = (): Tally => ({ programs: 0, numbers: 0, skipped: {}, failures: [] })

export function addTally(to: Tally, more: Tally): void {
  to.programs += more.programs
  to.numbers += more.numbers
  for (const [why, n] of Object.entries(more.skipped)) to.skipped[why] = (to.skipped[why] ?? 0) + n
  to.failures.push(...more.failures)
}

export const skippedIn = (tally: Tally): number => Object.values(tally.skipped).reduce((sum, n) => sum + n, 0)

/** Of the programs of a run at most so many in a hundred may be without an answer; a few say nothing of that. */
const mostSkipped = 30
export const isClear = (tally: Tally): boolean => skippedIn(tally) <= Math.max(10, (tally.programs * mostSkipped) / 100)

/** The seed of a program by its number in a run. */
function seedOf(seed: number, at: number): number {
  return Math.imul(seed, 0x85ebca6b) ^ Math.imul(at, 0xc2b2ae35)
}

async function ask(program: Program, seed: number, { target, twist, verify }: Settings): Promise<Outcome> {
  try {
    return await compare(program, seed, target, twist, verify)
  } catch (error) {
    const { message, stack } = error as Error
    return { kind: 'disagrees', what: `the oracle itself threw: ${message}`, detail: stack ?? message }
  }
}

/** Compares the programs from one number to before another. */
export async function check(from: number, to: number, settings: Settings): Promise<Tally> {
  const tally = emptyTally()
  for (let at = from; at < to; at++) {
    const seed = seedOf(settings.seed, at)
    const program = generate(seed, settings)
    const outcome = await ask(program, seed, settings)
    tally.programs++
    if (outcome.kind === 'agrees') tally.numbers += outcome.numbers
    else if (outcome.kind === 'skipped') tally.skipped[outcome.why] = (tally.skipped[outcome.why] ?? 0) + 1
    else tally.failures.push(await told(program, seed, at, outcome, settings))
  }
  return tally
}

async function told(
  program: Program,
  seed: number,
  at: number,
  first: Outcome & { kind: 'disagrees' },
  settings: Settings,
): Promise<string> {
  await shrink(
    program,
    async p => {
      const outcome = await ask(p, seed, settings)
      return outcome.kind === 'disagrees' && outcome.what === first.what
    },
    settings.attempts,
    first.what !== 'number',
  )
  const last = await ask(program, seed, settings)
  const { what, detail } = last.kind === 'disagrees' ? last : first
  const source = textFor(program, settings.target).source.replace(/^typedef .*\n/gm, '')
  return `program ${at} of seed ${settings.seed}: ${what}\n${detail}\n${source}`
}
