/** The server on standard input and output. Nothing else is ever written to standard output. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createConnection, type ConnectionOptions } from 'vscode-languageserver/node'
import { sourceAt } from '../files/read.ts'
import { slashed } from '../files/types.ts'
import type { Host } from '../editor/workspace.ts'
import { serve } from './server.ts'
import { dropped } from './answer.ts'
import { HelpedChecker } from './check.ts'
import { ThreadHelper } from './threads.ts'

/** Sources on the file system. */
const disk: Host = { read: path => sourceAt(path), list: filesBelow }

/** How many files are listed at most, and how deep: a folder may be the root of a disk. */
const mostFiles = 2000
const mostDepth = 12

/** The files below a folder whose names end so, without those of installed packages and of folders that are hidden. */
function filesBelow(folder: string, endings: readonly string[]): readonly string[] {
  const found: string[] = []
  const look = (at: string, depth: number): void => {
    let entries
    try {
      entries = readdirSync(at, { withFileTypes: true })
    } catch {
      // A folder that may not be read has no files for us.
      return
    }
    for (const entry of entries) {
      if (found.length >= mostFiles) return
      const path = join(at, entry.name)
      if (entry.isFile() && endings.some(e => entry.name.endsWith(e))) found.push(slashed(path))
      else if (entry.isDirectory() && depth < mostDepth && entry.name !== 'node_modules' && !entry.name.startsWith('.'))
        look(path, depth + 1)
    }
  }
  look(folder, 0)
  return found
}

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
