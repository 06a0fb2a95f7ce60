/** Writes what the user asked for into files. */
import { writeFileSync } from 'node:fs'
import { codeOf } from '../files/read.ts'
import { OutputError } from './usage.ts'

/** Writes a file. Throws an `OutputError`. */
export function write(file: string, data: string | Uint8Array): void {
  try {
    writeFileSync(file, data)
  } catch (cause) {
    throw new OutputError(`${file} cannot be written (${codeOf(cause)})`, file)
  }
}
