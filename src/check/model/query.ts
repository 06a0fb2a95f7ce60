/** Queries with the answer yes or no that may depend on each other in cycles, such as whether a type conforms to an interface. */
import type { Work } from '../../base/limits.ts'

/** A question that is open. */
interface Open {
  readonly key: string
  /** It was asked again while it was open. */
  asked: boolean
}

/** What a question within another takes of the stack, in levels of nesting. */
const levels = 2

/** Answers queries by key, each once. Assuming the conclusion proves nothing: a query that is already open is answered with no. */
export class Queries {
  readonly #work: Work
  readonly #answers = new Map<string, boolean>()
  /** What is open, the outermost first. */
  readonly #stack: Open[] = []
  /** The answers since the outermost query was opened, in order. Provisional answers (`passing`) are dropped when it is closed. */
  readonly #found: { readonly key: string; readonly passing: boolean }[] = []
  /** How many surveys are open: see `survey`. */
  #surveys = 0

  constructor(work: Work) {
    this.#work = work
  }

  /** Answers a query. A `passing` answer holds until no query is open, since a later answer may be more definite. */
  ask(key: string, passing: boolean, answer: () => boolean): boolean {
    const known = this.#answers.get(key)
    if (known !== undefined) return known
    const open = this.#stack.find(q => q.key === key)
    if (open !== undefined) {
      open.asked = true
      return false
    }
    const own: Open = { key, asked: false }
    const from = this.#found.length
    this.#stack.push(own)
    try {
      const is = this.#work.within(levels, null, answer)
      // What was denied on the way because this was not known yet is to be asked again.
      if (is && own.asked)
        for (const { key: denied } of this.#found.slice(from))
          if (this.#answers.get(denied) === false) this.#answers.delete(denied)
      this.#answers.set(key, is)
      this.#found.push({ key, passing })
      return is
    } finally {
      this.#stack.pop()
      this.#close()
    }
  }

  /** Asks several related queries as one. Otherwise provisional answers would be found again for each of them. */
  survey<T>(questions: () => T): T {
    this.#surveys++
    try {
      return questions()
    } finally {
      this.#surveys--
      this.#close()
    }
  }

  #close(): void {
    if (this.#stack.length > 0 || this.#surveys > 0) return
    for (const { key, passing } of this.#found.splice(0)) if (passing) this.#answers.delete(key)
  }
}
