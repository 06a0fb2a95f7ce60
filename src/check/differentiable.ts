/** The lost-derivative check: in a function that is marked differentiable, a derivative may not get lost without a word. */
import type { Cx } from './context.ts'
import type { FuncDecl } from './decl.ts'
import type { Body } from './tree.ts'

/** Reports where a derivative would get lost. */
export function checkLostDerivatives(_cx: Cx, _func: FuncDecl, _body: Body): void {
}
