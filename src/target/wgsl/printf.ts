/**
 * `printf` on a GPU. Output goes to a buffer of words that the host reads back: first how many words were wanted, then a record for
 * each call, with its number and its scalars. A record that does not fit is left out whole.
 */
import type { Builder } from '../../ir/build.ts'
import * as t from '../../ir/type.ts'
import type { ScalarName } from '../../ir/type.ts'
import { Global, Region, type Binding, type Module, type Value } from '../../ir/value.ts'
import type { PrintFormat } from '../reflect.ts'

/** The buffer of a module, and what is printed through it. */
export class Printer {
  readonly global: Global
  /** The same as hosts see it. */
  readonly shown: Global
  readonly binding: Binding
  readonly formats: PrintFormat[] = []

  /** The buffer comes after all others, and has a name that they have not. */
  constructor(module: Module, bindings: Iterable<Binding>) {
    const taken = new Set(module.globals.map(g => g.name))
    let name = 'printOutput'
    while (taken.has(name)) name += '_'
    const make = (used: t.Type): Global => {
      const type = t.struct('PrintOutput', [
        { name: 'used', type: used },
        { name: 'words', type: t.array(t.u32, 0) },
      ])
      return new Global(name, type, 'storage_rw', 'structured', undefined, undefined, null)
    }
    this.global = make(t.opaque('atomic<u32>'))
    this.shown = make(t.u32)
    const used = [...bindings].filter(b => b.group === 0).map(b => b.binding)
    this.binding = { group: 0, binding: Math.max(-1, ...used) + 1 }
  }

  /** Emits a call with values that shaders compute with. */
  print(b: Builder, format: string, values: readonly Value[]): void {
    const scalars: Value[] = []
    for (const v of values) flatten(b, v, scalars)
    const args = scalars.map(({ type }): ScalarName => {
      if (type.scalar === undefined) return type === t.printedWords.i64 ? 'i64' : 'u64'
      return type.scalar === 'f16' ? 'f32' : type.scalar
    })
    const parts = scalars.flatMap(v => (v.type.scalar === undefined ? [b.extract(v, 0), b.extract(v, 1)] : [v]))
    // Counted from 1: where a record is missing there is 0.
    const id = this.formats.push({ format, args })
    const size = 1 + parts.length
    const output = b.emit1('global', [], this.global)
    const words = b.field(output, 1)
    const at = b.emit1('intrinsic.write', [b.field(output, 0), b.const(t.u32, size)], 'atomicAdd', t.u32)
    at.name = 'at'
    const end = b.add(at, b.const(t.u32, size))
    const [fits, full] = [new Region(), new Region()]
    b.emit(
      'if',
      [b.emit1('le', [end, b.emit1('intrinsic.pure', [words], 'arrayLength', t.u32)])],
      null,
      [],
      [fits, full],
    )
    b.within(fits, () => {
      const put = (k: number, word: Value): void => {
        b.store(b.elem(words, k === 0 ? at : b.add(at, b.const(t.u32, k))), word)
      }
      put(0, b.const(t.u32, id))
      parts.forEach((v, k) => {
        put(k + 1, word(b, v))
      })
      b.emit('yield', [])
    })
    b.within(full, () => b.emit('yield', []))
  }
}

function flatten(b: Builder, v: Value, into: Value[]): void {
  if (v.type.kind === 'scalar' || v.type === t.printedWords.i64 || v.type === t.printedWords.u64) into.push(v)
  else for (let i = 0; i < v.type.count; i++) flatten(b, b.extract(v, i), into)
}

/** The bits of a scalar. */
function word(b: Builder, v: Value): Value {
  if (v.type === t.u32) return v
  if (v.type === t.bool) return b.convert(v, t.u32)
  return b.emit1('bitcast', [v.type === t.f16 ? b.convert(v, t.f32) : v], null, t.u32)
}
