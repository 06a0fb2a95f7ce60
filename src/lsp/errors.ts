/** What handlers throw when they are not to blame. `answer.ts` tells clients of it. */

/** Thrown by a handler whose request was cancelled. */
export class Cancelled extends Error {
  constructor() {
    super('the request was cancelled')
    this.name = 'Cancelled'
  }
}

/** A request that cannot be fulfilled although it is well formed; the message is for people, `data` for programs. */
export class Refused extends Error {
  readonly data: unknown

  constructor(message: string, data?: unknown) {
    super(message)
    this.name = 'Refused'
    this.data = data
  }
}
