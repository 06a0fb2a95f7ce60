/** Compiles one bomb to one target, and says as JSON what came of it and what the process took. */
import { CompileError, compile } from '../../src/index.ts'
import { wgslOfEverything } from '../exercise.ts'
import { bombs, type Way } from './all.ts'

/** What a bomb did, in milliseconds of the processor and megabytes. */
export interface Taken {
  readonly outcome: string
  readonly cpu: number
  readonly memory: number
}

function explode(source: string, way: Way): string {
  if (way === 'derivatives') return (wgslOfEverything(source, false)?.length ?? 0) > 0 ? 'code' : 'no code'
  let program = compile(source)
  try {
    if (program.ok && way !== 'wgsl') {
      const entries = new Set(program.entries.map(e => e.name))
      const names = [...new Set(program.functions.map(f => f.name))].filter(name => !entries.has(name))
      if (names.length > program.exports.length) program = compile(source, { exports: names })
    }
    if (!program.ok) return summary(program.diagnostics)
    const code = way === 'wgsl' ? program.wgsl().code : way === 'js' ? program.js().code : program.wasm().bytes
    return `${code.length} of ${way}`
  } catch (error) {
    if (!(error instanceof CompileError)) throw error
    return summary(error.diagnostics)
  }
}

function summary(diagnostics: CompileError['diagnostics']): string {
  const errors = diagnostics.filter(d => d.severity === 'error')
  return `${errors.length} errors: ${errors[0]?.code} ${errors[0]?.message.slice(0, 150)}`
}

const [name, way] = process.argv.slice(2) as [string, Way]
const outcome = explode(bombs[name]!(), way)
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
console.log(JSON.stringify({ outcome, cpu: Math.round((userCPUTime + systemCPUTime) / 1000), memory: Math.round(maxRSS / 1024) } satisfies Taken))
