/** Instances of generic functions that a caller of the compiler names: `main<64, float>`. */
import { doesNotConform } from '../../base/errors/generics.ts'
import type { Sink } from '../../base/diag.ts'
import { SourceFile } from '../../base/source.ts'
import { parseRange } from '../../syntax/parse.ts'
import { Env, type Cx } from '../model/context.ts'
import type { ModuleDecl } from '../model/decl.ts'
import type { Instance } from '../model/missing.ts'
import { show, type GenericArg } from '../model/type.ts'
import { violation } from '../types/index.ts'

/** The function with its generic arguments; null if the text names none, or none that its arguments fit, which is reported. */
export function namedInstance(cx: Cx, root: ModuleDecl, name: string, sink: Sink): Instance | null {
  if (!/^[A-Za-z_]\w*\s*<[\w\s,<>.:+*/()-]+>$/.test(name)) return null
  const file = new SourceFile('<entry point>', `static const int named = ${name};`)
  const errors = sink.errors
  const [decl] = parseRange(file, 0, file.text.length, sink)
  if (decl?.kind !== 'var' || decl.init === undefined || sink.errors > errors) return null
  const term = cx.above.term(new Env(cx, root.inner), decl.init)
  if (term.kind !== 'funcs' || term.args === null) return null
  const { args } = term
  for (const { decl: func } of term.candidates) {
    const params = func.generics?.params
    if (params?.length !== args.length || func.generics?.packed === true || !func.hasBody || func.role !== 'function')
      continue
    const subst = { args: new Map(params.map((p, i): [number, GenericArg] => [p.id, args[i]!])), self: null }
    const broken = violation(cx, func.generics!, subst)
    if (broken === null) return { decl: func, subst }
    sink.add(doesNotConform, decl.init.span, { type: show(broken.subject), interface: show(broken.iface) })
  }
  return null
}
