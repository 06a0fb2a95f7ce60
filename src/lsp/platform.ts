/** What the server asks of where it runs. Node and a worker each give one. */
import type { Host } from '../editor/workspace.ts'
import type { Checker } from './check.ts'

/** Where the server runs. */
export interface Platform {
  /** Files that are not open. Those that the client sent (`cotangent/files`) go before. */
  readonly files: Host
  /** Tests derivatives aside, so that other requests are answered meanwhile. */
  readonly checker: Checker
  /** Ends the server: with 0 where the client said `shutdown` before. */
  exit(status: 0 | 1): void
}
