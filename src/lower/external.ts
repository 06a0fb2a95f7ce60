/** Calls of functions that targets have and the language does not: textures, `discard`. */
import type { Fn } from './context.ts'
import type { Type } from '../ir/type.ts'
import { Func, type Value } from '../ir/value.ts'

/** Emits a call of a WGSL function by name; undefined if it returns nothing. */
export function callExternal(
  fn: Fn,
  name: string,
  args: readonly Value[],
  result: Type,
  pure: boolean,
): Value | undefined {
  const params = args.map(a => a.type)
  const callee = fn.cx.external(`${name}(${params.map(p => p.name).join(',')})${result.name}`, () => {
    const sig = {
      params: params.map((type, i) => ({ name: `p${i}`, type, dir: 'in' as const, noDiff: true })),
      result,
      resultNoDiff: true,
    }
    const func = new Func(fn.cx.names.unique(name), sig, null)
    func.info.intrinsics = { wgsl: name }
    func.info.pure = pure
    func.info.library = true
    return func
  })
  return fn.b.emit('call', [...args], callee).results[0]
}
