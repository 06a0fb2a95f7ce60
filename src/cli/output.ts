/**
 * Output of commands. On a terminal, control characters that a program brought along are escaped. Files and pipes get every byte as
 * it is, except for diagnostics, which are always escaped.
 */
import { fstatSync, writeSync } from 'node:fs'
import { WriteStream } from 'node:tty'
import { escapeControls } from '../base/escape.ts'

/** Whether output to a stream is coloured: on a terminal that Node says can, unless `NO_COLOR` or `FORCE_COLOR` says otherwise. */
export function wantsColor(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv = process.env): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false
  const asked = stream.isTTY || (env['FORCE_COLOR'] ?? '') !== ''
  // For Node 20 an empty `NO_COLOR` counts.
  return asked && WriteStream.prototype.getColorDepth({ ...env, NO_COLOR: undefined }) > 1
}

/** A reader that goes away ends the program in peace. */
function fail({ code }: NodeJS.ErrnoException): never {
  if (code === 'EPIPE') process.exit(0)
  warn(`cotangent: standard output cannot be written (${code})\n`)
  process.exit(1)
}

const watched = new Set<NodeJS.WriteStream>()

/** Writes all of it: into files and pipes without Node's streams, which take longer to load than a short program to compile. */
function put(fd: 1 | 2, bytes: Uint8Array, failed: (cause: NodeJS.ErrnoException) => void): void {
  let at = 0
  try {
    if (!fstatSync(fd).isCharacterDevice()) while (at < bytes.length) at += writeSync(fd, bytes, at)
  } catch (cause) {
    // Of a pipe that is full: a stream knows how to wait.
    if ((cause as NodeJS.ErrnoException).code !== 'EAGAIN') {
      failed(cause as NodeJS.ErrnoException)
      return
    }
  }
  if (at === bytes.length) return
  const stream = fd === 1 ? process.stdout : process.stderr
  if (!watched.has(stream)) stream.on('error', failed)
  watched.add(stream)
  stream.write(bytes.subarray(at))
}

/** Writes to standard output. */
export function tell(data: string | Uint8Array): void {
  put(1, typeof data === 'string' ? Buffer.from(process.stdout.isTTY ? escapeControls(data) : data) : data, fail)
}

/** Writes to standard error a text that is safe for a terminal. If nobody can read it, it is lost. */
export function warn(text: string): void {
  put(2, Buffer.from(text), () => {})
}

/** Writes what a program prints as it runs to standard error. */
export function printed(text: string): void {
  warn(process.stderr.isTTY ? escapeControls(text) : text)
}
