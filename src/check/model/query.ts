/** Questions with yes or no for an answer that may lead to each other in circles, such as whether a type conforms to an interface. */

/** A question that is open. */
interface Open {
  readonly key: string
  /** It was asked again while it was open. */
  asked: boolean
}

/** More questions within one another than a program has reason for are answered with no. */
const most = 64

/** Answers questions by key, each once; assuming the conclusion proves nothing, so a question that is open already is answered with no. */
export class Queries {
  readonly #answers = new Map<string, boolean>()
  /** What is open, the outermost first. */
  readonly #stack: Open[] = []
  /** What has been answered since the outermost was asked, in that order; `passing` answers are forgotten when it is closed. */
  readonly #found: { readonly key: string, readonly passing: boolean }[] = []
  /** How many surveys are open: see `survey`. */
  #surveys = 0

  /** The answer to a question. One that is `passing` holds until no question is open: what it is made of may be known better then. */
  ask(key: string, passing: boolean, answer: () => boolean): boolean {
    const known = this.#answers.get(key)
    if (known !== undefined) return known
    const open = this.#stack.find(q => q.key === key)
    if (open !== undefined) open.asked = true
    if (open !== undefined || this.#stack.length >= most) return false
    const own: Open = { key, asked: false }
    const from = this.#found.length
    this.#stack.push(own)
    try {
      const is = answer()
      // What was denied on the way because this was not known yet is to be asked again.
      if (is && own.asked) for (const { key: denied } of this.#found.slice(from)) if (this.#answers.get(denied) === false) this.#answers.delete(denied)
      this.#answers.set(key, is)
      this.#found.push({ key, passing })
      return is
    } finally {
      this.#stack.pop()
      this.#close()
    }
  }

  /** Asks several questions that belong together: to find passing answers out again for each would take circles apart way by way. */
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
