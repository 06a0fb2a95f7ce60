/** The bytes of constants. */
import type { Constant } from '../../ir/op.ts'
import type { Type } from '../../ir/type.ts'
import type { Value } from '../../ir/value.ts'
import type { Layouts } from '../../ir/layout.ts'
import { valType } from './leaf.ts'
import { f32, f64, i32, i64 } from './opcode.ts'

/** The bytes of a value made of constants; undefined if a part of it is computed. */
export function constantBytes(layouts: Layouts, value: Value): Uint8Array | undefined {
  const { size } = layouts.of(value.type)
  // The program is refused for its size elsewhere.
  if (size > 2 ** 32) return undefined
  const bytes = new Uint8Array(size)
  const view = new DataView(bytes.buffer)
  const fill = (v: Value, at: number): boolean => {
    const def = v.def
    if (def.op === 'param') return false
    if (def.op === 'zero') return true
    if (def.op === 'const') {
      write(view, at, v.type, def.attr)
      return true
    }
    const layout = layouts.of(v.type)
    if (def.op === 'splat') {
      for (let k = 0; k < v.type.count; k++)
        if (v.type.kind !== 'vec' || !fill(def.args[0]!, at + k * layout.stride)) return false
      return true
    }
    if (def.op !== 'construct') return false
    for (let k = 0; k < def.args.length; k++) {
      if (!fill(def.args[k]!, at + (v.type.kind === 'struct' ? layout.offsets[k]! : k * layout.stride))) return false
    }
    return true
  }
  return fill(value, 0) ? bytes : undefined
}

function write(view: DataView, at: number, type: Type, value: Constant): void {
  switch (valType(type.scalar!)) {
    case f64:
      view.setFloat64(at, Number(value), true)
      return
    case f32:
      view.setFloat32(at, Number(value), true)
      return
    case i64:
      view.setBigInt64(at, BigInt(value), true)
      return
    case i32:
      view.setInt32(at, Number(value), true)
      return
  }
}
