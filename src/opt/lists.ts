/**
 * Replaces short lists by arrays. A list becomes an array where all its indices have a known range. For example, the indices of a
 * loop have one once calls are inlined and constants are folded:
 *
 *   %l: ptr<function, list<f32>> = var   →   %l: ptr<function, array<f32, 8>> = var
 */
import { unknownBound } from '../base/errors/ad.ts'
import * as t from '../ir/type.ts'
import type { Type } from '../ir/type.ts'
import { Inst, Value, type Func, type Module, type Region } from '../ir/value.ts'
import { substitute, walk, type ValueTable } from '../ir/walk.ts'
import type { Cx } from './cx.ts'
import { Ranges } from './ranges.ts'

/** Arrays do not become longer than this: WGSL has none that are, but for those of buffers. */
const longest = 65536

const listed = t.holding('list')

/** Whether a value of the type, or what it points to, holds a list. */
export function holdsList(type: Type): boolean {
  return listed(type.kind === 'ptr' ? type.elem! : type)
}

/** The declarations of variables that hold lists. */
export function listVariables(func: Func): Inst[] {
  const found: Inst[] = []
  if (func.body !== undefined)
    walk(func.body, inst => {
      if (inst.op === 'var' && holdsList(inst.results[0]!.type)) found.push(inst)
    })
  return found
}

/** Adds a diagnostic for each variable that still holds lists, since nothing bounds the loop that fills them. */
export function refuseLists(module: Module, cx: Cx): void {
  for (const func of module.funcs) {
    const left = listVariables(func)
    const spans = left.flatMap(inst => (inst.span === null ? [] : [inst.span]))
    for (const span of spans) cx.sink.add(unknownBound, span, {})
    if (left.length > 0 && spans.length === 0) cx.sink.add(unknownBound, func.span ?? undefined, {})
  }
}

/** One level of nested lists and arrays in a variable, with the number of elements that a list there needs. */
interface Level {
  count: number
}

/** Makes arrays of lists where it can. */
export function boundLists(func: Func): boolean {
  const variables = listVariables(func)
  if (variables.length === 0) return false
  const users = new Map<Value, Inst[]>()
  const bodies = new Map<Inst, ReadonlySet<Inst>>()
  const index = (region: Region, around: ReadonlySet<Inst>): void => {
    for (const inst of region.insts) {
      bodies.set(inst, around)
      for (const v of inst.args) {
        const list = users.get(v)
        if (list === undefined) users.set(v, [inst])
        else list.push(inst)
      }
      inst.regions.forEach((r, k) => index(r, inst.op === 'loop' && k === 1 ? new Set([...around, inst]) : around))
    }
  }
  index(func.body!, new Set())
  const ranges = new Ranges(func)

  /** Collects the indices of accesses through a pointer. False if the pointer has other uses. */
  const survey = (pointer: Value, levels: Level[], depth: number): boolean => {
    const type = pointer.type.elem!
    return (users.get(pointer) ?? []).every(use => {
      if (use.op === 'store' && use.args[0] === pointer) return !holdsList(type) || isBlank(use.args[1]!)
      if (use.op === 'load') return !holdsList(type)
      if (use.op !== 'elem' || use.args[0] !== pointer) return !holdsList(type) && use.op === 'field'
      if (type.kind !== 'list') return survey(use.results[0]!, levels, depth)
      const around = bodies.get(use)!
      const range = ranges.of(use.args[1]!, loop => around.has(loop))
      if (range.lo < 0 || range.hi >= longest) return false
      const level = (levels[depth] ??= { count: 1 })
      level.count = Math.max(level.count, range.hi + 1)
      return survey(use.results[0]!, levels, depth + 1)
    })
  }

  const to: ValueTable = []
  const retype = (pointer: Value, type: Type): void => {
    if (type === pointer.type.elem) return
    const def = pointer.def as Inst
    const value = new Value(func.nextValue++, t.ptr('function', type), def, 0, pointer.name)
    def.results[0] = value
    to[pointer.id] = value
    for (const use of users.get(pointer) ?? []) {
      if (use.op === 'elem') {
        retype(use.results[0]!, type.elem!)
      } else {
        // What is stored to the whole is zero.
        const zero = new Inst('zero', [], null, [], use.span)
        zero.results.push(new Value(func.nextValue++, type, zero, 0, ''))
        use.args[1] = zero.results[0]!
        before.set(use, zero)
      }
    }
  }
  const before = new Map<Inst, Inst>()
  for (const variable of variables) {
    const pointer = variable.results[0]!
    const levels: Level[] = []
    if (survey(pointer, levels, 0)) retype(pointer, bounded(pointer.type.elem!, levels, 0))
  }
  if (to.length === 0) return false
  substitute(func.body!, to)
  insert(func.body!, before)
  return true
}

/** The type with an array for each list. A list without accesses gets one element. */
function bounded(type: Type, levels: readonly Level[], depth: number): Type {
  if (type.kind === 'list') return t.array(bounded(type.elem!, levels, depth + 1), levels[depth]?.count ?? 1)
  return type.kind === 'array' ? t.array(bounded(type.elem!, levels, depth), type.count) : type
}

function insert(region: Region, before: ReadonlyMap<Inst, Inst>): void {
  region.insts = region.insts.flatMap(inst => {
    for (const r of inst.regions) insert(r, before)
    const first = before.get(inst)
    return first === undefined ? [inst] : [first, inst]
  })
}

function isBlank(value: Value): boolean {
  return value.def.op !== 'param' && (value.def.op === 'zero' || value.def.op === 'undef')
}
