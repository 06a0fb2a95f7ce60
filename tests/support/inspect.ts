/** The IR of a program, for tests that look at it. */
import { Sink } from '../../src/base/diag.ts'
import { renderDiagnostics } from '../../src/base/render.ts'
import { core } from '../../src/check/core.generated.ts'
import { finish, middle, type Level, type MiddleOptions } from '../../src/compile.ts'
import { front } from '../../src/front.ts'
import type { Module } from '../../src/ir/value.ts'
import * as verifier from '../../src/ir/verify.ts'

/** A function that lowers and optimises a program when first called, verified after each pass. Every mistake is an error. */
export function inspect(
  source: string,
  fileName: string,
  level: Level,
  files: Readonly<Record<string, string>> = {},
): () => Module {
  let module: Module | undefined
  return () => {
    if (module !== undefined) return module
    const sink = new Sink()
    const checked = front(source, { fileName, files }, core, sink)
    const options: MiddleOptions = { level, verifier }
    if (sink.errors === 0) module = middle(checked.program, checked.roots(sink), sink, options)
    if (sink.errors === 0) finish(module!, sink, options)
    if (sink.errors > 0 || module === undefined) throw new Error(renderDiagnostics(sink.list))
    return module
  }
}
