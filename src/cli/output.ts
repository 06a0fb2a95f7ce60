/** What commands print. */
import { fstatSync, writeSync } from 'node:fs'

/** A reader that goes away ends the program in peace. */
function fail({ code }: NodeJS.ErrnoException): never {
  if (code === 'EPIPE') process.exit(0)
  process.stderr.write(`cotangent: standard output cannot be written (${code})\n`)
  process.exit(1)
}

let watched = false

function stream(): NodeJS.WriteStream {
  if (!watched) process.stdout.on('error', fail)
  watched = true
  return process.stdout
}

/** Writes to standard output: into files and pipes without Node's streams, which take longer to load than a short program to compile. */
export function tell(data: string | Uint8Array): void {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data
  let at = 0
  if (!fstatSync(1).isCharacterDevice()) {
    try {
      while (at < bytes.length) at += writeSync(1, bytes, at)
    } catch (cause) {
      // Of a pipe that is full: a stream knows how to wait.
      if ((cause as NodeJS.ErrnoException).code !== 'EAGAIN') fail(cause as NodeJS.ErrnoException)
    }
  }
  if (at < bytes.length) stream().write(bytes.subarray(at))
}
