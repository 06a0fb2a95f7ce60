/** Takes a program through the compiler, and says what of it no program may cause. */
import { renderDiagnostics } from '../../src/base/render.ts'
import { compile } from '../../src/index.ts'
import { CompileError } from '../../src/program.ts'
import { exercise } from '../support/exercise.ts'
import { NotCompiled, compileWgsl, refuse } from '../support/gpu.ts'

/** How far programs go: to WGSL, or to all targets and derivatives, and through a WebGPU implementation. */
export type Targets = 'wgsl' | 'all'

/** What may be wrong with the compiler. */
export interface Finding {
  readonly kind: 'exception' | 'slow' | 'refused'
  readonly text: string
  /** Alike for findings that look like the same mistake. */
  readonly sign: string
}

/** What came of a program. */
export interface Result {
  /** It has no errors. */
  readonly compiled: boolean
  readonly finding: Finding | undefined
  /** WebGPU gave no answer, or lacks what the program needs. */
  readonly unanswered: boolean
}

/** What a target may take of the processor, in milliseconds; where the IR is verified after each pass, which takes longer than the passes, several times that. */
const longest = 2000
const whileVerified = 3

/** Compiles a program; one that took too long is tried once more, since the first may have found the engine cold. */
export async function attempt(source: string, targets: Targets, verify: boolean): Promise<Result> {
  const result = await once(source, targets, verify)
  return result.finding?.kind === 'slow' ? once(source, targets, verify) : result
}

async function once(source: string, targets: Targets, verify: boolean): Promise<Result> {
  let compiled = false
  let unanswered = false
  try {
    const done = targets === 'all' ? await exercise(source, verify) : toWgsl(source, verify)
    compiled = done.compiled
    if (done.slowest > (verify ? whileVerified : 1) * longest)
      return {
        compiled,
        unanswered,
        finding: { kind: 'slow', text: `${Math.round(done.slowest)} ms of the processor`, sign: 'slow' },
      }
    if (targets === 'all') for (const code of done.wgsl) unanswered = !(await accepted(code)) || unanswered
    return { compiled, unanswered, finding: undefined }
  } catch (error) {
    return {
      compiled,
      unanswered,
      finding:
        error instanceof Refused
          ? { kind: 'refused', text: error.message, sign: signOf(error.message) }
          : exception(error),
    }
  }
}

function toWgsl(source: string, verify: boolean): { compiled: boolean; slowest: number; wgsl: readonly string[] } {
  const before = process.cpuUsage()
  const program = compile(source, { verify })
  try {
    if (program.ok) program.wgsl()
  } catch (error) {
    if (!(error instanceof CompileError)) throw error
  }
  const { user, system } = process.cpuUsage(before)
  renderDiagnostics(program.diagnostics)
  return { compiled: program.ok, slowest: (user + system) / 1000, wgsl: [] }
}

class Refused extends Error {}

/** Whether WebGPU took a module; false where it could not say. */
async function accepted(wgsl: string): Promise<boolean> {
  let messages
  try {
    messages = await compileWgsl(wgsl)
  } catch (error) {
    if (error instanceof NotCompiled) return false
    throw error
  }
  // Where an implementation lacks half floats there is nothing to ask.
  if (messages.some(m => m.text.includes('not allowed in the current environment'))) return false
  try {
    refuse(wgsl, messages)
  } catch (error) {
    throw new Refused(error instanceof Error ? error.message : String(error))
  }
  return true
}

function exception(error: unknown): Finding {
  const text = error instanceof Error ? chain(error) : String(error)
  const frame = /^\s+at (\S+)/m.exec(
    error instanceof Error && error.cause instanceof Error
      ? (error.cause.stack ?? '')
      : error instanceof Error
        ? (error.stack ?? '')
        : '',
  )
  return { kind: 'exception', text, sign: `${signOf(text)} ${frame?.[1] ?? ''}` }
}

function chain(error: Error): string {
  return error.cause instanceof Error
    ? `${error.stack ?? error.message}\ncaused by ${chain(error.cause)}`
    : (error.stack ?? error.message)
}

/** The first lines without what differs from program to program: names in quotes, numbers, names after `in`. */
function signOf(text: string): string {
  return text
    .split('\n')
    .slice(0, 2)
    .join(' ')
    .replace(/'[^']*'|"[^"]*"|`[^`]*`/g, '_')
    .replace(/ in \S+$/, '')
    .replace(/\d+/g, '0')
    .slice(0, 160)
}
