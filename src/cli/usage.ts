/** Errors of commands, and the folder of the package. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A mistake of the caller's: printed as one line, and the exit status says which kind. */
export class UsageError extends Error {
  /** 2 for the command line, 1 for the program. */
  readonly status: number

  constructor(message: string, status = 2) {
    super(message)
    this.name = 'UsageError'
    this.status = status
  }
}

/** Thrown when all messages have been printed. */
export class Failed extends UsageError {
  constructor() {
    super('', 1)
    this.name = 'Failed'
  }
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
