/** Writes what the user asked for into files. */
import { existsSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from '../files/read.ts'
import { OutputError } from './usage.ts'

/** Writes a file. Throws an `OutputError`. */
export function write(file: string, data: string | Uint8Array): void {
  try {
    writeFileSync(file, data)
  } catch (cause) {
    const code = codeOf(cause)
    // A link that leads nowhere, and some places such as /proc, are also said not to exist.
    const isFolderGone = code === 'ENOENT' && !existsSync(dirname(file))
    const why = isFolderGone ? `: there is no folder ${dirname(file)}` : ` (${code})`
    throw new OutputError(`${file} cannot be written${why}`, file)
  }
}
