/** The server on standard input and output. Nothing else is ever written to standard output. */
import { createConnection, type ConnectionOptions } from 'vscode-languageserver/node'
import { serve } from './server.ts'
import { dropped } from './answer.ts'
import { HelpedChecker } from './check.ts'
import { disk } from './disk.ts'
import { ThreadHelper } from './threads.ts'

/** Requests that were cancelled before their turn came are answered without being looked at. */
const options: ConnectionOptions = { connectionStrategy: { cancelUndispatched: dropped } }

/** Serves the client that started this process: until it says `exit`, closes standard input, or is gone. */
export function serveStdio(): void {
  // What writes to the console would break the protocol.
  console.log =
    console.info =
    console.debug =
      (...args: unknown[]) => {
        console.error(...args)
      }
  serve(createConnection(process.stdin, process.stdout, options), {
    files: disk,
    checker: new HelpedChecker(() => new ThreadHelper()),
    exit: status => {
      // Behind all that is still to be written.
      process.stdout.write('', () => process.exit(status))
    },
  })
}
