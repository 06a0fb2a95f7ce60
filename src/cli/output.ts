/** Writing to stdout. */
import { writeSync } from 'node:fs'

const stdout = 1
/** A reader that is slower than we are: from then on Node's stream waits for it. */
let streams = false

/**
 * Writes to stdout, past Node's streams where that can be: to load them takes a third of the time of checking a small program.
 * Where nobody reads any more (`cotangent … | head`), the process ends without a word.
 */
export function toStdout(output: string | Uint8Array): void {
  let bytes: Uint8Array = typeof output === 'string' ? Buffer.from(output) : output
  try {
    while (!streams && bytes.length > 0) bytes = bytes.subarray(writeSync(stdout, bytes))
  } catch (error) {
    ended(error as NodeJS.ErrnoException)
    streams = true
    process.stdout.on('error', ended)
  }
  if (bytes.length > 0) process.stdout.write(bytes)
}

/** Leaves where the reader is gone; what else went wrong than a reader that makes us wait is the caller's to know. */
function ended(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE' || error.code === 'EOF') process.exit(0)
  if (error.code !== 'EAGAIN') throw error
}
