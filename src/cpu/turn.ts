/** The lock of a loaded program: it does one thing at a time, and nothing once it is closed. */
import { BusyError, ClosedError, TrapError, isStackOverflow } from './errors.ts'

/** A lock for the machines of one memory: a running machine keeps its state there, so no other may run meanwhile. */
export class Turn {
  #running: string | undefined
  #closed = false
  /** What the host's own `print` threw. */
  #thrown: { readonly cause: unknown } | undefined

  /** Throws `ClosedError` after `close`. */
  refuseClosed(name: string): void {
    if (this.#closed) throw new ClosedError(name)
  }

  /** Throws `BusyError` if the lock is taken, and `ClosedError` after `close`. */
  check(name: string): void {
    this.refuseClosed(name)
    if (this.#running !== undefined) throw new BusyError(name, this.#running)
  }

  /** Takes the lock. Throws as `check` does. */
  begin(name: string): void {
    this.check(name)
    this.#running = name
    this.#thrown = undefined
  }

  /** Gives the lock back. */
  end(): void {
    this.#running = undefined
  }

  /** Takes the lock for good. Throws `BusyError` while it is taken. */
  close(): void {
    this.check('close')
    this.#closed = true
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Hands a text to the host. */
  print(to: (text: string) => void, text: string): void {
    try {
      to(text)
    } catch (cause) {
      this.#thrown = { cause }
      throw cause
    }
  }

  /** Runs the program. An error that stops it becomes a `TrapError`; what the host threw stays. */
  guarded<T>(name: string, run: () => T): T {
    try {
      return run()
    } catch (cause) {
      throw this.#told(name, cause)
    }
  }

  /** The same for a program that runs meanwhile. */
  async guardedAsync(name: string, run: () => Promise<void>): Promise<void> {
    try {
      await run()
    } catch (cause) {
      throw this.#told(name, cause)
    }
  }

  #told(name: string, cause: unknown): unknown {
    if (this.#thrown !== undefined && this.#thrown.cause === cause) return cause
    if (cause instanceof WebAssembly.RuntimeError)
      return new TrapError(
        `${name} stopped: ${/unreachable/i.test(cause.message) ? 'it came to a loop that nothing ends' : cause.message}`,
        { cause },
      )
    return isStackOverflow(cause) ? new TrapError(`${name} calls itself too deeply`, { cause }) : cause
  }
}
