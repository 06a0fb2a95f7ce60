/** Errors of commands, and the folder of the package. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * What a failure without a place in a program is called in `--diagnostics json`. docs/command-line.md lists them; the catalogue of the compiler
 * (`src/base/errors`) has no such codes.
 */
export const failures = {
  /** The command line asks for what is not there. */
  commandLine: 'E50300',
  /** A file that cannot be read, or is no text. */
  input: 'E50301',
  /** A file, a folder or standard output that cannot be written. */
  output: 'E50302',
  /** An argument that the function does not take. */
  argument: 'E50303',
  /** A program that lacks a function, or stops. */
  program: 'E50304',
  /** The time of `--timeout` is over. */
  time: 'E50305',
  /** The machine lacks something, a GPU for instance. */
  machine: 'E50306',
  /** Declarations that are not those of their shader, are missing, or are left over. */
  stale: 'E50307',
  /** A bug in Cotangent. */
  bug: 'E50399',
} as const

/** The code of a failure. */
export type FailureCode = (typeof failures)[keyof typeof failures]

/** A mistake of the caller's: printed as one line, and the exit status says which kind. */
export class UsageError extends Error {
  /** 2 for the command line, 1 for the program. */
  readonly status: number
  readonly code: FailureCode
  /** The file that it is about, if any. */
  readonly file: string | undefined

  constructor(
    message: string,
    status = 2,
    code: FailureCode = status === 2 ? failures.commandLine : failures.program,
    file?: string,
  ) {
    super(message)
    this.name = 'UsageError'
    this.status = status
    this.code = code
    this.file = file
  }
}

/** A file that cannot be read. */
export class InputError extends UsageError {
  constructor(message: string, file: string) {
    super(message, 2, failures.input, file)
    this.name = 'InputError'
  }
}

/** A place that cannot be written. */
export class OutputError extends UsageError {
  constructor(message: string, file: string) {
    super(message, 2, failures.output, file)
    this.name = 'OutputError'
  }
}

/** Thrown when all messages have been printed. */
export class Failed extends UsageError {
  constructor(status: 1 | 2 = 1) {
    super('', status)
    this.name = 'Failed'
  }
}

/** Whether an error is about files, or about a program: other files could mend it, and it says nothing of other programs. */
export function isOfFiles(error: unknown): error is UsageError {
  return (
    error instanceof UsageError &&
    (error.status !== 2 || error instanceof Failed || error instanceof InputError || error instanceof OutputError)
  )
}

/** The folder of the package: the nearest one up from this file that has a package.json. */
export function packageRoot(): string {
  let dir = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(dir, 'package.json'))) {
    const up = dirname(dir)
    if (up === dir) throw new UsageError('the package is incomplete: there is no package.json')
    dir = up
  }
  return dir
}

export function packageVersion(): string {
  return (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string }).version
}
