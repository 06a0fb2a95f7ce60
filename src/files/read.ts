/**
 * Reads sources from the file system. The author of a program decides what it includes, and may be a stranger. So only bounded regular files are
 * read.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/** The longest source that is read, in bytes. */
const maxSourceBytes = 1 << 24

/** The code of an error of the file system. */
export const codeOf = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? String(cause)

/** What is wrong with a path, for people. */
function problem(code: string): string {
  switch (code) {
    case 'ENOENT':
      return 'no such file'
    case 'EISDIR':
      return 'a folder, not a file'
    case 'ELOOP':
      return 'a symbolic link that leads back to itself'
    case 'EACCES':
    case 'EPERM':
      return 'permission denied'
    case 'ENAMETOOLONG':
      return 'the name is too long'
    case 'ERR_INVALID_ARG_VALUE':
      return 'no name of a file'
    case 'ENXIO':
      return 'not a regular file'
    default:
      return `cannot be read (${code})`
  }
}

/** Thrown for a path that exists but may not be read; the message says why. */
export class SourceProblem extends Error {
  readonly code: string

  constructor(message: string, code = '') {
    super(message)
    this.name = 'SourceProblem'
    this.code = code
  }
}

/** Sources are UTF-8. Editors that write UTF-16 or UTF-32 begin with a mark that UTF-8 never has. */
function decoded(bytes: Buffer): string {
  const [a, b] = bytes
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff))
    throw new SourceProblem('UTF-16 or UTF-32 text; save it as UTF-8')
  const text = bytes.toString('utf8')
  // A stray character of another encoding, or a control, is a mistake with a place. Of a picture, each byte would be one.
  const start = text.slice(0, 1 << 16)
  const controls = start.match(/(?![\t\n\v\f\r])\p{Cc}/gu)?.length ?? 0
  const strange = controls + (start.match(/\ufffd/g)?.length ?? 0)
  if (strange >= 4 && strange * 8 > start.length)
    throw new SourceProblem(controls > 0 ? 'not a text file' : 'not UTF-8 text; save it as UTF-8')
  return text
}

/** Reads to the end, and no further than the limit: files may grow while they are read. */
function readAll(fd: number): string {
  const parts: Buffer[] = []
  let total = 0
  for (;;) {
    const part = Buffer.allocUnsafe(1 << 16)
    const n = readPart(fd, part)
    if (n === 0) return decoded(Buffer.concat(parts))
    total += n
    if (total > maxSourceBytes) throw new SourceProblem(`longer than ${maxSourceBytes} bytes`)
    parts.push(part.subarray(0, n))
  }
}

function readPart(fd: number, into: Buffer): number {
  for (;;) {
    try {
      return readSync(fd, into)
    } catch (cause) {
      // Windows says so at the end of a pipe.
      if (codeOf(cause) === 'EOF') return 0
      if (codeOf(cause) !== 'EAGAIN') throw cause
      // Of a pipe that does not block, and has nothing yet.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}

/** The text of a regular file. Throws a `SourceProblem`. */
export function readSource(path: string): string {
  let fd: number | undefined
  try {
    // To open a pipe that nobody writes to would wait for ever.
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const stat = fstatSync(fd)
    if (stat.isDirectory()) throw new SourceProblem(problem('EISDIR'), 'EISDIR')
    if (!stat.isFile()) throw new SourceProblem('not a regular file')
    if (stat.size > maxSourceBytes) throw new SourceProblem(`longer than ${maxSourceBytes} bytes`)
    return readAll(fd)
  } catch (cause) {
    throw cause instanceof SourceProblem ? cause : new SourceProblem(problem(codeOf(cause)), codeOf(cause))
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** The text of standard input. Throws a `SourceProblem`. */
export function readInput(): string {
  try {
    return readAll(0)
  } catch (cause) {
    throw cause instanceof SourceProblem ? cause : new SourceProblem(problem(codeOf(cause)))
  }
}

/** Codes of paths at which there is nothing to find: the next folder is asked. */
const absent: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'])

/** The text of a file that an import or include asks for; undefined where there is none. Throws a `SourceProblem` where it is not to be read. */
export function sourceAt(path: string): string | undefined {
  try {
    return readSource(path)
  } catch (cause) {
    if (absent.has((cause as SourceProblem).code)) return undefined
    throw cause
  }
}
