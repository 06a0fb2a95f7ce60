/** Compiles one bomb to one target after another; for each, a line of JSON says what came of it and what it took. */
import { CompileError, compile } from '../../src/index.ts'
import { wgslOfEverything } from '../support/exercise.ts'
import { bombs, type Way } from './all.ts'

/**
 * What a bomb did, in megabytes and in milliseconds: of the clock or of the processor, whichever are fewer. Other work makes the clock
 * run on, and what an engine does on other threads takes the processor, but neither is time that somebody waits on a free machine.
 * The first target has the start of the process in its time; memory is the most so far.
 */
export interface Taken {
  readonly outcome: string
  /** The program has errors that are found before a target is chosen, so every other target would do the same work and no more. */
  readonly refused: boolean
  readonly time: number
  readonly memory: number
}

function explode(source: string, way: Way): Pick<Taken, 'outcome' | 'refused'> {
  if (way === 'derivatives')
    return { outcome: (wgslOfEverything(source, false)?.length ?? 0) > 0 ? 'code' : 'no code', refused: false }
  let program = compile(source)
  try {
    if (program.ok && way !== 'wgsl') {
      const entries = new Set(program.entries.map(e => e.name))
      const names = [...new Set(program.functions.map(f => f.name))].filter(name => !entries.has(name))
      if (names.length > program.exports.length) program = compile(source, { exports: names })
    }
    if (!program.ok) return { outcome: summary(program.diagnostics), refused: way === 'wgsl' }
    const code = way === 'wgsl' ? program.wgsl().code : way === 'js' ? program.js().code : program.wasm().bytes
    return { outcome: `${code.length} of ${way}`, refused: false }
  } catch (error) {
    if (!(error instanceof CompileError)) throw error
    return { outcome: summary(error.diagnostics), refused: false }
  }
}

function summary(diagnostics: CompileError['diagnostics']): string {
  const errors = diagnostics.filter(d => d.severity === 'error')
  return `${errors.length} errors: ${errors[0]?.code} ${errors[0]?.message.slice(0, 150)}`
}

/** Work that is always the same and nothing of the compiler's: small objects, maps and strings. It tells how fast a machine is just now. */
function yardstick(): Pick<Taken, 'outcome' | 'refused'> {
  const found = new Map<string, { at: number; readonly by: number[] }>()
  let state = 1
  for (let i = 0; i < 600_000; i++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    const key = `k${state % 50_021}`
    const known = found.get(key)
    if (known === undefined) found.set(key, { at: i, by: [state] })
    else if (known.by.length < 6) known.by.push(known.at ^ state)
    else known.at = i
  }
  return { outcome: `${found.size} keys`, refused: false }
}

const [name, ...targets] = process.argv.slice(2) as [string, ...Way[]]
/** What the targets before took of the processor and of the clock. */
let before = { processor: 0, clock: 0 }
for (const way of targets) {
  const done = name === 'yardstick' ? yardstick() : explode(bombs[name]!(), way)
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  const now = { processor: (userCPUTime + systemCPUTime) / 1000, clock: performance.now() }
  console.log(
    JSON.stringify({
      ...done,
      time: Math.round(Math.min(now.processor - before.processor, now.clock - before.clock)),
      memory: Math.round(maxRSS / 1024),
    } satisfies Taken),
  )
  if (done.refused) break
  before = now
}
