/** All programs of the repository, for others to be made of. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { framed, readCases } from '../support/cases.ts'
import { Mutator } from './mutate.ts'
import { Random } from './random.ts'
import { spliced } from './splice.ts'

const root = resolve(import.meta.dirname, '../..')

function programsIn(folder: string): string[] {
  const path = resolve(root, folder)
  if (!existsSync(path)) return []
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter(f => f.endsWith('.slang'))
    .sort()
    .map(f => readFileSync(join(path, f), 'utf8'))
}

/** Programs by what they are good for. */
export interface Corpus {
  /** What people write; some of those that are sound. */
  readonly examples: readonly string[]
  /** Programs that compile. */
  readonly sound: readonly string[]
  /** Programs with mistakes. */
  readonly wrong: readonly string[]
}

/** The programs of the examples, the tests and the bench; or those of one folder. */
export function readCorpus(only?: string): Corpus {
  if (only !== undefined) return { examples: [], sound: programsIn(only), wrong: [] }
  const examples = programsIn('examples')
  const folders = readdirSync(join(root, 'tests'), { withFileTypes: true })
    .filter(d => d.isDirectory())
    .map(d => d.name)
  // Files of these two hold many programs each.
  const cases = ['census', 'reference'].flatMap(readCases)
  const others = folders
    .filter(name => !['census', 'reference', 'diag', 'format'].includes(name))
    .sort()
    .flatMap(name => programsIn(`tests/${name}`))
  return {
    examples,
    sound: [...examples, ...others, ...programsIn('bench'), ...cases.filter(c => c.numbers !== undefined).map(framed)],
    wrong: [...programsIn('tests/diag'), ...cases.filter(c => c.numbers === undefined).map(c => c.source)],
  }
}

/** How a program was made. */
export type Kind = 'broken' | 'altered' | 'spliced'

/** A program that nobody wrote. */
export interface Made {
  readonly kind: Kind
  readonly source: string
}

/** Program `index` of a seed: a third is broken as text, a third changed so that most compile, a third spliced of others. */
export function make(corpus: Corpus, seed: number, index: number): Made {
  const random = new Random(seed, index)
  const kind: Kind = random.one(['broken', 'altered', 'spliced'])
  if (kind === 'spliced') return { kind, source: spliced(random, corpus) }
  const { examples, sound, wrong } = corpus
  const which = random.pick(8)
  const original = random.one(
    examples.length > 0 && which < 2 ? examples : wrong.length > 0 && which === 2 ? wrong : sound,
  )
  const mutator = new Mutator(random)
  return { kind, source: kind === 'broken' ? mutator.broken(original) : mutator.altered(original) }
}
