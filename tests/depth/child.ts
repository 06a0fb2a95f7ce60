/** Compiles every shape as deep, and to the targets, that it is told; what each came to goes to standard output as JSON. */
import { CompileError, compile } from '../../src/index.ts'
import { shapes } from './shapes.ts'

type Target = 'wgsl' | 'wasm' | 'js'

function compileTo(source: string, target: Target): string {
  const program = compile(source)
  const codes = (list: CompileError['diagnostics']): string =>
    [...new Set(list.filter(d => d.severity === 'error').map(d => d.code))].join(' ')
  if (!program.ok) return codes(program.diagnostics)
  try {
    program[target]()
    return 'code'
  } catch (error) {
    if (!(error instanceof CompileError)) throw error
    return codes(error.diagnostics)
  }
}

const [depth = '', ...targets] = process.argv.slice(2)
const outcomes: Record<string, string> = {}
for (const [name, make] of Object.entries(shapes)) {
  for (const target of targets as Target[]) {
    let outcome: string
    try {
      outcome = compileTo(make(Number(depth)), target)
    } catch (error) {
      outcome = `threw ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`
    }
    outcomes[`${name}, to ${target}`] = outcome
  }
}
console.log(JSON.stringify(outcomes))
