/** Calls of what targets have by name and the language does not: textures, `discard`. */
import type { Type } from '../ir/type.ts'
import { Func, type Value } from '../ir/value.ts'
import type { Fn } from './func.ts'

/** Emits a call of what WGSL has under that name; undefined where it gives nothing. */
export function callExternal(fn: Fn, name: string, args: readonly Value[], result: Type, pure: boolean): Value | undefined {
  const params = args.map(a => a.type)
  const callee = fn.cx.external(`${name}(${params.map(p => p.name).join(',')})${result.name}`, () => {
    const sig = { params: params.map((type, i) => ({ name: `p${i}`, type, dir: 'in' as const, noDiff: true })), result, resultNoDiff: true }
    const func = new Func(fn.cx.names.unique(name), sig, null)
    func.info.spell = { wgsl: name }
    func.info.pure = pure
    func.info.library = true
    return func
  })
  return fn.b.emit('call', [...args], callee).results[0]
}
