/**
 * Output of commands. On a terminal, control characters that a program brought along are escaped. Files and pipes get every byte as
 * it is, except for diagnostics, which are always escaped.
 */
import { fstatSync, writeSync } from 'node:fs'
import { WriteStream } from 'node:tty'
import { escapeControls, safeJson } from '../base/escape.ts'
import { UsageError, failures, type FailureCode } from './usage.ts'

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
  complain(`standard output cannot be written (${code})`, failures.output)
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

let asJson = false

/** Says that what goes to standard error is to be one JSON object a line. */
export function diagnosticsAsJson(): void {
  asJson = true
}

/** Whether standard error takes one JSON object a line. */
export function wantsJson(): boolean {
  return asJson
}

/** Reports a failure that has no place in a program: one line for people, or one JSON object. */
export function complain(
  message: string,
  code: FailureCode,
  more: { readonly file?: string | undefined; readonly help?: string | undefined } = {},
): void {
  if (asJson) {
    warn(`${safeJson({ severity: 'error', code, message, file: more.file, help: more.help })}\n`)
    return
  }
  const help = more.help === undefined ? '' : `${more.help}\n`
  warn(`cotangent: ${escapeControls(`${message}\n${help}`)}`)
}

/** Prints a remark for people. Tools that read diagnostics as JSON do not get it. */
export function remark(text: string): void {
  if (!asJson) warn(`cotangent: ${escapeControls(text)}\n`)
}

/** Tells tools that read JSON, as an object with a key `event`, what people get as lines of text. */
export function inform(event: string, data: Readonly<Record<string, unknown>>, text: string): void {
  warn(asJson ? `${safeJson({ event, ...data })}\n` : escapeControls(text))
}

/** Reports what ended a command, unless that was done already, and gives the exit status. */
export function failed(error: unknown): number {
  if (error instanceof UsageError) {
    if (error.message !== '') complain(error.message, error.code, { file: error.file })
    return error.status
  }
  const traced = process.env['COTANGENT_DEBUG'] !== undefined
  const stack = traced && error instanceof Error ? `\n${error.stack ?? ''}` : ''
  complain(error instanceof Error ? error.message : String(error), failures.bug, {
    help:
      'This is a bug in Cotangent. Please report it with the program that shows it' +
      `${traced ? '.' : '; COTANGENT_DEBUG=1 prints where it happened.'}${stack}`,
  })
  return 70
}
