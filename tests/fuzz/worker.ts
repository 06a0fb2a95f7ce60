/** Compiles every `step`th program and writes what came of it, line by line: a process apart, since a program may end or hang it. */
import { writeSync } from 'node:fs'
import { closeGpu } from '../support/gpu.ts'
import { attempt, type Finding, type Targets } from './attempt.ts'
import { make, readCorpus, type Kind } from './corpus.ts'
import { shrink } from './shrink.ts'

/** What a worker has to do. */
export interface Task {
  readonly seed: number
  readonly from: number
  readonly end: number
  readonly step: number
  readonly targets: Targets
  /** The folder whose programs are taken; undefined for all. */
  readonly of: string | undefined
}

/** What a worker says: that it begins with a program, what came of it, a smaller program that shows the same, or that it is still at it. */
export type Line =
  | { readonly say: 'begin'; readonly index: number }
  | {
      readonly say: 'done'
      readonly index: number
      readonly kind: Kind
      readonly compiled: boolean
      readonly unanswered: boolean
      readonly finding: Finding | undefined
    }
  | { readonly say: 'small'; readonly index: number; readonly source: string }
  | { readonly say: 'busy' }

/** One in so many programs is compiled with the IR verified after each pass. */
const verified = 8
/** How often a program that shows something is made smaller. */
const tries = 400
const slowTries = 12

const say = (line: Line): void => {
  writeSync(1, `${JSON.stringify(line)}\n`)
}

/** Does the task. */
export async function work({ seed, from, end, step, targets, of }: Task): Promise<void> {
  const corpus = readCorpus(of)
  const shrunk = new Set<string>()
  for (let index = from; index < end; index += step) {
    const { kind, source } = make(corpus, seed, index)
    say({ say: 'begin', index })
    const verify = index % verified === 0
    const result = await attempt(source, targets, verify)
    say({ say: 'done', index, kind, ...result })
    const { finding } = result
    if (finding === undefined || shrunk.has(finding.sign)) continue
    shrunk.add(finding.sign)
    const small = await shrink(
      source,
      async smaller => {
        say({ say: 'busy' })
        return (await attempt(smaller, targets, verify)).finding?.sign === finding.sign
      },
      finding.kind === 'slow' ? slowTries : tries,
    )
    say({ say: 'small', index, source: small })
  }
  closeGpu()
}
