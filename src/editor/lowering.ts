/**
 * Mistakes that only show when a program is compiled: derivatives that cannot be made, and what a GPU lacks. They are found in a second,
 * slower stage, entry point by entry point, and kept like those of the checker.
 */
import { Stores, finish, middle, type MiddleOptions, type Roots } from '../compile.ts'
import { Sink, type Diagnostic } from '../base/diag.ts'
import { unboundedLoop } from '../base/errors/derivative.ts'
import { emitWgsl } from '../target/wgsl/emit.ts'
import type { Analysis } from './analysis.ts'
import type { LoweredRoot } from './bodies.ts'
import { noteFault } from './relay.ts'

/**
 * Everything that `cotangent compile` finds in a program after its check, in steps between which it may be stopped. Nothing where the check
 * finds mistakes, since nothing is compiled then.
 */
export function* lowering(analysis: Analysis): Generator<void, readonly Diagnostic[]> {
  if (analysis.compiled !== undefined) return analysis.compiled
  yield* analysis.check()
  if (analysis.diagnostics.some(d => d.severity === 'error')) return []
  yield* analysis.checkAll()
  const { checked } = analysis
  const sink = sinkOf(analysis)
  const roots = checked.roots(sink)
  const one = (part: Partial<Roots>): Roots => ({ ...roots, entries: [], exports: [], ...part })
  const parts: readonly (readonly [string, Roots])[] = [
    ...roots.entries.map(e => [`entry ${e.func.name}`, one({ entries: [e] })] as const),
    ...roots.exports.map(e => [`export ${e.name}`, one({ exports: [e] })] as const),
  ]
  const found: Diagnostic[] = []
  for (const [name, part] of parts) {
    yield
    let lowered = analysis.lowered.get(name)
    if (lowered === undefined) analysis.lowered.set(name, (lowered = compileRoots(analysis, part)))
    found.push(...lowered.diagnostics)
  }
  // What one root lacks another may bring: types of a dynamic dispatch. So mistakes are looked for in all together.
  const isWrong = found.some(d => d.severity === 'error') && parts.length > 1
  if (isWrong) yield
  const list = isWrong ? compileRoots(analysis, roots).diagnostics : found
  // A CPU can run all loops. Entry points say so themselves, where they reach one.
  if (roots.entries.length === 0) for (const span of checked.program.unbounded) sink.add(unboundedLoop, span, {})
  return (analysis.compiled = [...sink.list, ...list])
}

/**
 * What `lowering` found, or as long as it has not run on this state of the program, what still holds of the last: an editor would else show it only
 * after a while. Of that nothing where one root has a mistake that others may mend.
 */
export function lowered(analysis: Analysis): readonly Diagnostic[] {
  if (analysis.compiled !== undefined) return analysis.compiled
  const kept = [...analysis.lowered.values()].flatMap(root => root.diagnostics)
  const isWrong = (list: readonly Diagnostic[]): boolean => list.some(d => d.severity === 'error')
  return isWrong(analysis.diagnostics) || (isWrong(kept) && analysis.lowered.size > 1) ? [] : kept
}

function sinkOf({ cx, options }: Analysis): Sink {
  const sink = new Sink()
  const characters = cx.modules.flatMap(m => m.files).reduce((sum, f) => sum + f.text.length, 0)
  sink.work.measure(characters, options.maxContext !== undefined)
  return sink
}

/** Compiles some roots to WGSL, as `cotangent compile` does. */
function compileRoots(analysis: Analysis, roots: Roots): LoweredRoot {
  const { maxContext } = analysis.options
  const options: MiddleOptions = {
    level: 2,
    target: 'wgsl',
    maxContext,
    explain: maxContext === undefined ? undefined : new Stores(),
  }
  const sink = sinkOf(analysis)
  const faults: unknown[] = []
  const bodies = analysis.bodiesDuring(() => {
    try {
      const module = middle(analysis.program, roots, sink, options)
      if (sink.errors > 0 || roots.entries.length === 0) return
      for (const f of module.funcs) f.info.exported = undefined
      finish(module, sink, options)
      if (sink.errors === 0) emitWgsl(module, {}, sink)
    } catch (error) {
      noteFault(error, sink, faults)
    }
  })
  analysis.faults.push(...faults)
  return { diagnostics: sink.list, bodies }
}
