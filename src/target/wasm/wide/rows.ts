/**
 * Neighbouring elements of a buffer, accessed at once: one check of bounds for all of them and all lanes. Where it fails, each is accessed
 * alone, as its own bounds say: what lies past the end reads the last element, which may just have been written.
 */
import type { Inst, Region } from '../../../ir/value.ts'
import { constantIndex } from '../../../opt/match.ts'
import { location, type Location } from '../memory.ts'
import { Label, type Node } from '../node.ts'
import { f32, f32x4, i32, i32x4, isVector, op } from '../opcode.ts'
import type { WideBody } from './body.ts'
import { laneCount } from './graph.ts'
import { laneType } from './memory.ts'
import { accessed, neighboursIn, type Access, type Group } from './neighbours.ts'
import { isLine, loadWords, storeWords, type Span, type WordType } from './words.ts'

/** Where the elements of a group lie. */
interface Place {
  /** The lowest index, and how far it is from that of the first access. */
  readonly index: Node
  readonly lowest: number
  /** The buffer. */
  readonly array: Location
  readonly span: Span
  /** Whether all elements of all lanes are in bounds. */
  readonly fits: Node
}

interface Local {
  readonly type: ReturnType<typeof laneType>
  readonly at: number
}

/** Locals of loads. */
type Locals = ReadonlyMap<Inst, readonly Local[]>

/** A group whose first access has been compiled. */
interface Begun {
  readonly place: Place
  /** Whether its loads and its stores are made together. */
  readonly together: Node
  readonly locals: Locals
  readonly stores: readonly Access[]
}

/** Lanes this many elements apart, or more, are looked at one by one. */
const mostStep = 2 ** 16

export class Rows {
  readonly #body: WideBody
  readonly #groups = new Map<Inst, Group>()
  readonly #begun = new Map<readonly Access[], Begun>()

  constructor(body: WideBody) {
    this.#body = body
  }

  /** Finds the groups of a region that is compiled next. */
  enter(region: Region): void {
    for (const group of neighboursIn(region, type => this.#body.isFlat(type)))
      for (const { inst } of group.accesses) this.#groups.set(inst, group)
  }

  /** Compiles an access of a group, or the whole group where it is time for it; false for other instructions. */
  takes(inst: Inst): boolean {
    const group = this.#groups.get(inst)
    if (group === undefined) return false
    const { accesses, kind } = group
    const isFirst = inst === accesses[0]!.inst
    const isLast = inst === accesses[accesses.length - 1]!.inst
    if (isFirst && !isVector(this.#body.index(accesses[0]!.elem.args[1]!).type)) {
      for (const access of accesses) this.#groups.delete(access.inst)
      return false
    }
    switch (kind) {
      case 'load':
        if (isFirst) this.#load(accesses)
        return true
      case 'store':
        if (isLast) this.#store(accesses)
        return true
      case 'mixed':
        this.#mixed(accesses, inst, isFirst, isLast)
        return true
    }
  }

  #place(accesses: readonly Access[]): Place {
    const body = this.#body
    const { g } = body
    const { elem } = accesses[0]!
    const array = body.at(elem.args[0]!)
    const distances = accesses.map(a => a.distance)
    const lowest = Math.min(...distances)
    const index = g.add(body.index(elem.args[1]!), g.i32(lowest))
    const { stride } = array.layouts.of(array.type)
    const addr = g.add(array.base, g.mul(index, g.i32(stride)))
    const row = g.rowOf(index)
    const isRow = row !== undefined && Math.abs(row.step) < mostStep
    const reach = isRow ? (laneCount - 1) * row.step : 0
    const from = g.add(isRow ? row.first : index, g.i32(Math.min(0, reach)))
    // So few steps cannot wrap around from one element in bounds to another.
    const [low, high] = [0, Math.abs(reach) + Math.max(...distances) - lowest].map(by =>
      g.pure(op.i32LtU, i32, g.add(from, g.i32(by)), array.extent!.length),
    )
    const all = g.pure(op.i32And, i32, low!, high!)
    const fits = isRow ? all : g.all(all)
    const span = { addr, object: array.object }
    return { index, lowest, array, span, fits }
  }

  /** An access where all are in bounds. */
  #inside({ distance, steps }: Access, { array, lowest, span }: Place): Location {
    const offset = array.offset + (distance - lowest) * array.layouts.of(array.type).stride
    return this.#after(steps, location(array.type.elem!, array.layouts, span.addr, offset, false, array.object))
  }

  /** An access as it is where it stands alone. */
  #alone({ distance, steps }: Access, { array, index, lowest }: Place): Location {
    const { g, memory } = this.#body
    return this.#after(steps, memory.element(array, g.add(index, g.i32(distance - lowest)), false))
  }

  /** Constant indices are taken as they are: those of later accesses of a group are not compiled yet. */
  #after(steps: readonly Inst[], from: Location): Location {
    const { memory } = this.#body
    return steps.reduce((p, step) => {
      const part = step.op === 'field' ? step.attr : constantIndex(step.args[1]!, p.type.count)
      return part === undefined ? this.#body.elementIn(p, step) : memory.part(p, part)
    }, from)
  }

  /** Where the words of accesses lie; undefined where they are not words alone, or nobody knows where between them they lie. */
  #words(accesses: readonly Access[], place: Place): readonly number[] | undefined {
    const { memory, plan } = this.#body
    const isWord = (scalar: string): boolean => scalar.endsWith('32')
    if (!accesses.every(a => a.isFixed && plan.leaves.of(accessed(a.inst)).every(isWord))) return undefined
    return accesses.flatMap(a => memory.scalars(this.#inside(a, place)).map(p => p.offset))
  }

  /** Does one thing where all is in bounds, and another where not. */
  #choose(cond: Node, inside: () => void, alone: () => void): void {
    const { g } = this.#body
    const [yes, no] = [g.nested(false, inside), g.nested(false, alone)]
    g.stmt({ kind: 'if', cond, yes, no, label: new Label() })
  }

  #load(accesses: readonly Access[]): void {
    const place = this.#place(accesses)
    const locals = this.#locals(accesses)
    this.#choose(
      place.fits,
      () => this.#loadInside(accesses, place, locals),
      () => accesses.forEach(a => this.#loadAlone(a, place, locals)),
    )
    accesses.forEach(a => this.#found(a, locals))
  }

  #store(accesses: readonly Access[]): void {
    const place = this.#place(accesses)
    this.#choose(
      this.#writesAll(accesses, place),
      () => this.#storeInside(accesses, place),
      () => accesses.forEach(a => this.#storeAlone(a, place)),
    )
  }

  /** Loads all at the first access and stores all at the last, where all are in bounds; else each where it stands. */
  #mixed(accesses: readonly Access[], inst: Inst, isFirst: boolean, isLast: boolean): void {
    const { g } = this.#body
    if (isFirst) this.#begun.set(accesses, this.#begin(accesses))
    const { place, together, locals, stores } = this.#begun.get(accesses)!
    const access = accesses.find(a => a.inst === inst)!
    g.when(g.eqz(together), () =>
      inst.op === 'load' ? this.#loadAlone(access, place, locals) : this.#storeAlone(access, place),
    )
    if (inst.op === 'load') this.#found(access, locals)
    if (isLast) g.when(together, () => this.#storeInside(stores, place))
  }

  #begin(accesses: readonly Access[]): Begun {
    const [loads, stores] = ['load', 'store'].map(kind => accesses.filter(a => a.inst.op === kind))
    const place = this.#place(accesses)
    const locals = this.#locals(loads!)
    const together = this.#writesAll(stores!, place)
    this.#body.g.when(together, () => this.#loadInside(loads!, place, locals))
    return { place, together, locals, stores: stores! }
  }

  /** Locals for what accesses load. */
  #locals(accesses: readonly Access[]): Locals {
    const { g, plan } = this.#body
    const local = (type: Local['type']): Local => ({ type, at: g.code.local(type) })
    return new Map(accesses.map(a => [a.inst, plan.leaves.of(accessed(a.inst)).map(leaf => local(laneType(leaf)))]))
  }

  #set(locals: readonly Local[], values: readonly Node[]): void {
    const { g } = this.#body
    locals.forEach(({ type, at }, k) => g.stmt({ kind: 'set', local: at, value: g.as(type, values[k]!) }))
  }

  /** Says what an access has loaded. */
  #found({ inst }: Access, locals: Locals): void {
    const { g } = this.#body
    this.#body.set(
      inst.results[0]!,
      locals.get(inst)!.map(({ at }) => g.get(at)),
    )
  }

  #loadAlone(access: Access, place: Place, locals: Locals): void {
    this.#set(locals.get(access.inst)!, this.#body.memory.load(this.#alone(access, place)))
  }

  #loadInside(accesses: readonly Access[], place: Place, locals: Locals): void {
    const { g, memory } = this.#body
    const all = accesses.flatMap(a => locals.get(a.inst)!)
    const words = this.#words(accesses, place)
    if (words === undefined)
      return this.#set(
        all,
        accesses.flatMap(a => memory.load(this.#inside(a, place))),
      )
    const found = loadWords(g, place.span, new Map(words.map((at, k) => [at, all[k]!.type as WordType])))
    this.#set(
      all,
      words.map(at => found.get(at)!),
    )
  }

  /** Whether all elements are in bounds, and all lanes store where one store writes for all of them. */
  #writesAll(accesses: readonly Access[], place: Place): Node {
    const { g, memory } = this.#body
    const { mask } = memory
    return mask !== undefined && this.#isLine(accesses, place)
      ? g.pure(op.i32And, i32, place.fits, g.all(mask))
      : place.fits
  }

  #isLine(accesses: readonly Access[], place: Place): boolean {
    return isLine(this.#body.g, place.span) && this.#words(accesses, place) !== undefined
  }

  #storeAlone(access: Access, place: Place): void {
    this.#body.memory.store(this.#alone(access, place), this.#body.nodes(access.inst.args[1]!))
  }

  #storeInside(accesses: readonly Access[], place: Place): void {
    const { g, memory } = this.#body
    const words = this.#words(accesses, place)
    const values = (a: Access): readonly Node[] => this.#body.nodes(a.inst.args[1]!)
    if (words === undefined) return accesses.forEach(a => memory.store(this.#inside(a, place), values(a)))
    const all = accesses.flatMap(values)
    const vector = (x: Node): Node => g.as(x.type === f32 || x.type === f32x4 ? f32x4 : i32x4, x)
    const write = storeWords(g, place.span, new Map(words.map((at, k) => [at, vector(all[k]!)])))
    const mask = this.#isLine(accesses, place) ? undefined : memory.mask
    memory.within(mask, () => memory.eachLane(lane => write(lane.index)))
  }
}
