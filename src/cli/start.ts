/**
 * Starts the command line from code that V8 has compiled before. Half of a short command's time would otherwise go into compiling the
 * same functions again; Node keeps compiled code by itself only from version 22 on, and only of what is loaded without a bundle's loader.
 * The cache lies beside the code, is made when the package is built, and again by the first run of another version of Node.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'

const file = join(__dirname, 'cli-main.cjs')
const cacheFile = `${file}.cache`

function cached(): Buffer | undefined {
  try {
    return readFileSync(cacheFile)
  } catch {
    return undefined
  }
}

/** Keeps the functions that have been compiled by now. Where the package may not be written, starts are slower, and that is all. */
function keep(script: Script): void {
  const temporary = `${cacheFile}.${process.pid}`
  try {
    writeFileSync(temporary, script.createCachedData())
    renameSync(temporary, cacheFile)
  } catch {
    try {
      rmSync(temporary, { force: true })
    } catch {
      // Nothing was written either.
    }
  }
}

// Most commands end before it pays to have their functions optimised: these must run longer before they are, and functions that
// run once or twice are best interpreted. Later versions of V8 may not know the flags.
const engine = Number.parseInt(process.versions.v8, 10)
if (engine <= 13) setFlagsFromString('--interrupt-budget=600000')
if (engine === 11) for (const flag of ['--interrupt-budget-factor-for-feedback-allocation=16', '--no-baseline-batch-compilation']) setFlagsFromString(flag)

const cachedData = cached()
const script = new Script(readFileSync(file, 'latin1'), { filename: file, cachedData })
type Main = (require: NodeJS.Require, module: { exports: unknown }, exports: unknown, file: string, importModule: (address: string) => Promise<unknown>) => void
const body = script.runInThisContext() as Main
const module_ = { exports: {} as { main?: (args: readonly string[]) => Promise<void> } }
body(createRequire(file), module_, module_.exports, file, address => import(address))

// Flags of V8 change the code, so what a run with some of them keeps would be of no use to others.
const plain = process.execArgv.length === 0 && (process.env['NODE_OPTIONS'] ?? '') === ''
if (plain && (cachedData === undefined || script.cachedDataRejected === true)) process.on('exit', () => keep(script))

// All is written by then, and to exit takes a tenth of the time that to free every object takes.
process.once('beforeExit', () => process.exit())

void module_.exports.main!(process.argv.slice(2))
