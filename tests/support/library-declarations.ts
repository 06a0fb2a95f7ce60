/** Which functions of the library there are, and which of them a program uses. */
import { Sink } from '../../src/base/diag.ts'
import { attributesOf } from '../../src/check/types/attribute.ts'
import { Cx } from '../../src/check/model/context.ts'
import { core } from '../../src/check/core.generated.ts'
import type { Decl, FuncDecl } from '../../src/check/model/decl.ts'
import { Library } from '../../src/check/modules/library.ts'
import type { CheckedProgram, Expr, Place } from '../../src/check/model/tree.ts'
import type { FuncRef } from '../../src/check/model/func-ref.ts'
import { eachStmt, expressions, operands, placeOperands } from '../../src/check/model/walk.ts'
import { front } from '../../src/front.ts'
import { above } from '../../src/check/check.ts'
import { isOp, rowOf } from '../../src/ir/ops.ts'

/** A function, method or accessor of the library that programs can name. */
export interface LibraryDeclaration {
  /** Its name and parameters as the library's text has them; no two have the same. */
  readonly key: string
  readonly name: string
  readonly isDifferentiable: boolean
}

/** The text of a declaration up to its body, without attributes: what tells overloads apart. */
function keyOf(func: FuncDecl): string {
  const { span } = func.of?.syntax ?? func.syntax
  const text = span.file.text.slice(span.start, span.end)
  const head = text
    .replace(/^(?:\[[^\]]*\]\s*)+/, '')
    .replace(/[{;][^]*$/, '')
    .trim()
  const owner =
    func.parent !== null && 'name' in func.parent && func.parent.kind !== 'module' ? `${func.parent.name}: ` : ''
  return `${owner}${head}${func.accessor === null ? '' : ` ${func.accessor}`}`
}

/** Everything that programs can call. */
export function libraryDeclarations(): readonly LibraryDeclaration[] {
  const sink = new Sink()
  const library = new Library(core)
  const cx = new Cx(sink, library, above)
  library.attach(cx)
  const out: LibraryDeclaration[] = []
  const seen = new Set<Decl>()
  const visit = (decl: Decl): void => {
    if (seen.has(decl) || decl.name.startsWith('__')) return
    seen.add(decl)
    if (decl.kind === 'func' && (decl.owner === null || decl.hasBody)) {
      const { level, op } = attributesOf(cx, decl)
      const key = keyOf(decl)
      // The checker takes every operation for differentiable, and every overload of what has a derivative.
      const flat =
        /LanewiseInt|LanewiseBits|IntegerType|^Atomic: /.test(key) ||
        (op !== null && isOp(op) && rowOf(op).ad.is === 'flat' && op !== 'detach')
      const isDifferentiable = level !== 'none' && !flat
      out.push({ key, name: decl.name, isDifferentiable })
    }
    if ('accessors' in decl) decl.accessors.forEach(visit)
    if (decl.kind === 'struct' || decl.kind === 'extension' || decl.kind === 'interface')
      for (const members of decl.inner.names.values()) members.forEach(visit)
  }
  for (const name of Object.keys(core.names)) library.lookup(name).forEach(visit)
  return out
}

/** The keys of what the functions of a program call, in the library's own bodies too. */
export function usedDeclarations(source: string): ReadonlySet<string> {
  const sink = new Sink()
  const { program } = front(source, {}, core, sink)
  if (sink.errors > 0) throw new Error(`${sink.list.map(d => d.message).join('; ')}\n${source}`)
  const used = new Set<string>()
  const seen = new Set<FuncDecl>()
  const visit = (func: FuncDecl): void => {
    if (seen.has(func)) return
    seen.add(func)
    if (func.module.isCore) used.add(keyOf(func))
    each(program, func, ref => {
      if (ref.kind === 'direct') visit(ref.decl)
      else if (ref.kind === 'requirement') used.add(keyOf(ref.decl))
    })
  }
  program.functions.forEach(visit)
  return used
}

/** Calls `onRef` for each function that a body names. */
function each(program: CheckedProgram, func: FuncDecl, onRef: (ref: FuncRef) => void): void {
  const ref = (r: FuncRef | null): void => {
    if (r === null) return
    onRef(r)
    if (r.kind === 'derivative') ref(r.of)
  }
  const expr = (e: Expr): void => {
    if (e.kind === 'call') ref(e.func)
    operands(e, expr, place)
  }
  const place = (p: Place): void => {
    if (p.kind === 'ref') ref(p.func)
    if (p.kind === 'accessor') {
      ref(p.get)
      ref(p.set)
    }
    placeOperands(p, expr, place)
  }
  const body = program.body(func)
  if (body !== null) eachStmt(body.stmts, s => expressions(s).forEach(expr))
}
