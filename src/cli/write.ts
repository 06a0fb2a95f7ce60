/** Writes what the user asked for into files. */
import { writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from '../files/read.ts'
import { OutputError } from './usage.ts'

/** Writes a file. Throws an `OutputError`. */
export function write(file: string, data: string | Uint8Array): void {
  try {
    writeFileSync(file, data)
  } catch (cause) {
    const code = codeOf(cause)
    const why = code === 'ENOENT' ? `: there is no folder ${dirname(file)}` : ` (${code})`
    throw new OutputError(`${file} cannot be written${why}`, file)
  }
}
