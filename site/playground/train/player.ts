/** Plays a session: step after step, until somebody pauses it or it stops. */
import type { Session, State } from './session.ts'

export interface PlayerOptions {
  /** Hears the state about 30 times a second while it plays, and when it ends. */
  readonly onState: (state: State) => void
  /** Hears of an error that ended it: a lost device, a program that trapped. */
  readonly onError: (cause: unknown) => void
}

/** How long it takes steps before it lets others have the thread: less than a frame of 60 a second. */
const sliceOf = 12
const tellEvery = 33

export class Player {
  readonly #session: Session
  readonly #options: PlayerOptions
  /** Each `play` has a token of its own: one that was paused and played again goes on once. */
  #token: object | undefined

  constructor(session: Session, options: PlayerOptions) {
    this.#session = session
    this.#options = options
  }

  /** How many steps it takes in a second at most. Small programs take thousands, and nobody would see what happens. Default: no limit. */
  speed: number | undefined

  get playing(): boolean {
    return this.#token !== undefined
  }

  /** Takes steps until `pause`. Returns at once. */
  play(): void {
    if (this.playing) return
    const token = {}
    this.#token = token
    void this.#run(token)
  }

  /** Takes no more steps; one that is under way still ends. */
  pause(): void {
    this.#token = undefined
  }

  async #run(token: object): Promise<void> {
    try {
      let told = -Infinity
      let next = performance.now()
      while (this.#token === token) {
        if (this.#waits(next)) {
          // Short, for meanwhile it may be paused or get another speed.
          await rest(Math.min(50, next - performance.now()))
          continue
        }
        const until = performance.now() + sliceOf
        do {
          await this.#session.step()
          // Steps that took too long are not caught up with for more than 100 ms.
          if (this.speed !== undefined) next = Math.max(next + 1000 / this.speed, until - 100)
        } while (this.#token === token && performance.now() < until && !this.#waits(next))
        if (this.#session.state.stopped !== undefined) this.pause()
        if (performance.now() - told >= tellEvery) {
          told = performance.now()
          this.#options.onState(this.#session.state)
        }
        await breath()
      }
      // If somebody plays again meanwhile, there is more to come.
      if (!this.playing) this.#options.onState(this.#session.state)
    } catch (cause) {
      if (this.#token === token) this.pause()
      this.#options.onError(cause)
    }
  }

  /** Whether the next step, which is due at that time, is still to wait. */
  #waits(next: number): boolean {
    return this.speed !== undefined && performance.now() < next
  }
}

function rest(milliseconds: number): Promise<void> {
  return new Promise(resolve => void setTimeout(resolve, milliseconds))
}

/** Lets messages and timers have the thread. A timer of 0 would wait 4 ms in browsers; a message does not. */
function breath(): Promise<void> {
  return new Promise(resolve => {
    const { port1, port2 } = new MessageChannel()
    port1.addEventListener('message', () => {
      port1.close()
      resolve()
    })
    port1.start()
    port2.postMessage(null)
  })
}
