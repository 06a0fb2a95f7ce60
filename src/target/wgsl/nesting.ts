/**
 * Keeps nesting within the limit of WGSL compilers, which refuse statements and blocks that nest, or `else if`s that chain, more
 * than 127 deep. Code that nests too deeply is outlined: it becomes a function of its own. It takes the values that it uses and returns those that
 * it defines. Variables around it are passed in and out by value.
 */
import * as costs from '../../ir/costs.ts'
import type { Sink } from '../../base/diag.ts'
import { nestedTooDeep } from '../../base/errors/target.ts'
import { Builder } from '../../ir/build.ts'
import * as t from '../../ir/type.ts'
import type { Inst } from '../../ir/value.ts'
import { Func, Region, type Value } from '../../ir/value.ts'
import { cloneInst, type ValueTable } from '../../ir/walk.ts'
import { Exits } from '../../ir/exits.ts'

/** How deep statements may be nested. */
const limit = 120

/** Moves code that nests too deeply out of a function. Gives the functions made of it. */
export function flatten(func: Func, sink: Sink): readonly Func[] {
  const made: Func[] = []
  let known: Exits | undefined
  const staysInside = (inst: Inst): boolean => !(known ??= Exits.in(func)).leavesAround(inst)
  const deepest = Math.max(outline(func, func.body!, 0, made, staysInside), ...made.map(f => heightOf(f.body!)))
  if (deepest > limit) sink.add(nestedTooDeep, func.span ?? undefined, { func: func.name, limit })
  return made
}

/** How deep the text of a control instruction nests what is in it: a statement and its block, and the block of a case. */
function weight(inst: Inst): number {
  return inst.op === 'if' || inst.op === 'loop' ? 2 : 3
}

/** How deep a region is below `depth`, once parts of it have been outlined. */
function outline(
  func: Func,
  region: Region,
  depth: number,
  made: Func[],
  staysInside: (inst: Inst) => boolean,
): number {
  let height = 0
  for (let i = 0; i < region.insts.length; i++) {
    const inst = region.insts[i]!
    if (inst.regions.length === 0) continue
    const own = weight(inst)
    let inside = 0
    for (const r of inst.regions) inside = Math.max(inside, outline(func, r, depth + own, made, staysInside))
    if (own + inside >= costs.cutNesting && depth + own + inside > limit && staysInside(inst)) {
      const outlined = new Outlined(func, inst, made.length)
      region.insts.splice(i, 1, ...outlined.call)
      i += outlined.call.length - 1
      made.push(outlined.part)
      inside = -own
    }
    height = Math.max(height, own + inside)
  }
  return height
}

/** How deep a region is. */
function heightOf(region: Region): number {
  let height = 0
  for (const inst of region.insts) for (const r of inst.regions) height = Math.max(height, weight(inst) + heightOf(r))
  return height
}

/** An instruction as a function of its own, and the call that replaces it. */
class Outlined {
  readonly part: Func
  readonly call: readonly Inst[]
  readonly #func: Func
  /** Values from outside, and the variables whose contents go in and out. */
  readonly #values: Value[] = []
  readonly #variables: Value[] = []

  constructor(func: Func, inst: Inst, number: number) {
    this.#func = func
    const paths: Inst[] = []
    this.#capture(inst, paths)
    const types = [...this.#values.map(v => v.type), ...this.#variables.map(v => v.type.elem!)]
    const name = `${func.name}_part${number === 0 ? '' : number}`
    const packed =
      types.length > costs.nestedParams
        ? t.struct(
            `${name}_values`,
            types.map((type, i) => ({ name: `v${i}`, type })),
          )
        : undefined
    const results = [...inst.results.map(r => r.type), ...this.#variables.map(v => v.type.elem!)]
    const result =
      results.length === 0
        ? t.voidType
        : results.length === 1
          ? results[0]!
          : t.struct(
              `${name}_result`,
              results.map((type, i) => ({ name: `r${i}`, type })),
            )
    const names = [...this.#values, ...this.#variables].map(v => v.name)
    const params = (packed === undefined ? types : [packed]).map((type, i) => ({
      name: packed === undefined ? names[i]! : 'values',
      type,
      dir: 'in' as const,
      noDiff: true,
    }))
    this.part = new Func(name, { params, result, resultNoDiff: true }, inst.span)
    this.#body(inst, paths, packed)
    this.call = this.#caller(inst, packed)
  }

  /** Finds what an instruction uses of what is defined around it. `paths` are the pointers that are made again inside. */
  #capture(root: Inst, paths: Inst[]): void {
    const known = new Set<Value>()
    const take = (v: Value): void => {
      if (known.has(v)) return
      known.add(v)
      if (v.type.kind !== 'ptr') {
        this.#values.push(v)
        return
      }
      const def = v.def as Inst
      if (def.op === 'var') {
        this.#variables.push(v)
        return
      }
      def.args.forEach(take)
      paths.push(def)
    }
    const define = (inst: Inst): void => {
      for (const r of inst.results) known.add(r)
      for (const region of inst.regions) {
        for (const p of region.params) known.add(p)
        region.insts.forEach(define)
      }
    }
    define(root)
    const use = (inst: Inst): void => {
      inst.args.forEach(take)
      for (const region of inst.regions) region.insts.forEach(use)
    }
    use(root)
  }

  #body(inst: Inst, paths: readonly Inst[], packed: t.Type | undefined): void {
    const body = (this.part.body = new Region())
    const b = new Builder(this.part, body)
    b.span = inst.span
    const inside: ValueTable = []
    const taken =
      packed === undefined
        ? this.part.sig.params.map(p => b.param(p.type, p.name))
        : unpack(b, b.param(packed, 'values'))
    this.#values.forEach((v, i) => {
      inside[v.id] = taken[i]!
    })
    const homes = this.#variables.map((v, i) => {
      const home = b.variable(v.type.elem!, v.name)
      b.store(home, taken[this.#values.length + i]!)
      return (inside[v.id] = home)
    })
    for (const path of paths) body.insts.push(cloneInst(path, this.part, inside))
    const copy = cloneInst(inst, this.part, inside)
    body.insts.push(copy)
    const out = [...copy.results, ...homes.map(home => b.load(home))]
    b.emit('ret', out.length > 1 ? [b.construct(this.part.sig.result, out)] : out)
  }

  /** The call, which defines the results of the instruction. */
  #caller(inst: Inst, packed: t.Type | undefined): readonly Inst[] {
    const at = new Region()
    const b = new Builder(this.#func, at)
    b.span = inst.span
    const given = [...this.#values, ...this.#variables.map(v => b.load(v))]
    const [result] = b.call(this.part, packed === undefined ? given : [b.construct(packed, given)])
    const count = inst.results.length + this.#variables.length
    const parts =
      result === undefined
        ? []
        : count === 1
          ? [result]
          : Array.from({ length: count }, (_, i) => b.emit1('extract', [result], i))
    inst.results.forEach((r, i) => {
      const part = parts[i]!
      const def = part.def as Inst
      def.results[part.index] = r
      r.def = def
      r.index = part.index
    })
    this.#variables.forEach((v, i) => b.store(v, parts[inst.results.length + i]!))
    return at.insts
  }
}

function unpack(b: Builder, values: Value): Value[] {
  return values.type.fields.map((_, i) => b.emit1('extract', [values], i))
}
