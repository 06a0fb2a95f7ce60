/**
 * Neighbouring elements of a buffer, accessed at once: one check of bounds for all of them and all lanes. Where it fails, each is accessed
 * alone, as its own bounds say.
 */
import type { Inst, Region } from '../../../ir/value.ts'
import { location, type Location } from '../memory.ts'
import { Label, type Node } from '../node.ts'
import { i32, isVector, op } from '../opcode.ts'
import type { WideBody } from './body.ts'
import { laneCount } from './graph.ts'
import { laneType } from './memory.ts'
import { neighboursIn, type Access, type Group } from './neighbours.ts'
import { isLine, loadWords, storeLines, storeWords, type Span, type Word } from './words.ts'

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

/** Steps between lanes below this many elements cannot wrap around from one element in bounds to another. */
const mostStep = 2 ** 16

export class Rows {
  readonly #body: WideBody
  readonly #groups = new Map<Inst, Group>()

  constructor(body: WideBody) {
    this.#body = body
  }

  /** Finds the groups of a region that is compiled next. */
  enter(region: Region): void {
    const { leaves } = this.#body.plan
    const isWord = (scalar: string): boolean => scalar === 'f32' || scalar === 'i32' || scalar === 'u32'
    for (const group of neighboursIn(region, type => leaves.flat(type) && leaves.of(type).every(isWord))) {
      const words = group.accesses.reduce((sum, access) => sum + leaves.count(typeOf(access)), 0)
      if (words > 1) for (const { inst } of group.accesses) this.#groups.set(inst, group)
    }
  }

  /** Compiles an access of a group, or the whole group where it is time for it; false for other instructions. */
  takes(inst: Inst): boolean {
    const group = this.#groups.get(inst)
    if (group === undefined) return false
    const { accesses, kind } = group
    if (inst === accesses[0]!.inst && !isVector(this.#body.index(accesses[0]!.elem.args[1]!).type)) {
      for (const access of accesses) this.#groups.delete(access.inst)
      return false
    }
    if (kind === 'load' && inst === accesses[0]!.inst) this.#load(accesses)
    if (kind === 'store' && inst === accesses[accesses.length - 1]!.inst) this.#store(accesses)
    return true
  }

  #place(accesses: readonly Access[]): Place {
    const body = this.#body
    const { g } = body
    const { elem } = accesses[0]!
    const array = body.at(elem.args[0]!)
    const distances = accesses.map(a => a.distance)
    const lowest = Math.min(...distances)
    const apart = Math.max(...distances) - lowest
    const index = g.add(body.index(elem.args[1]!), g.i32(lowest))
    const { stride } = array.layouts.of(array.type)
    const addr = g.add(array.base, g.mul(index, g.i32(stride)))
    const row = g.rowOf(index)
    const { length } = array.extent!
    /** True where an index and so many after it are in bounds. */
    const below = (i: Node, more: number): Node => {
      const [enough, rest] = [op.i32GtU, op.i32Sub].map(code => g.pure(code, i32, length, g.i32(more)))
      return g.pure(op.i32LtU, i32, i, g.select(enough!, rest!, g.i32(0)))
    }
    const reach = row === undefined ? 0 : (laneCount - 1) * row.step
    const fits =
      row === undefined || Math.abs(row.step) >= mostStep
        ? g.all(below(index, apart))
        : below(g.add(row.first, g.i32(Math.min(0, reach))), Math.abs(reach) + apart)
    const span = { addr, offset: array.offset, bytes: (apart + 1) * stride, object: array.object }
    return { index, lowest, array, span, fits }
  }

  /** The words of an access, from the lowest element. */
  #words({ distance, steps }: Access, { array, lowest }: Place): readonly Word[] {
    const { g, memory } = this.#body
    const offset = (distance - lowest) * array.layouts.of(array.type).stride
    const element = location(array.type.elem!, array.layouts, g.i32(0), offset, false)
    return memory
      .scalars(steps.reduce((p, step) => memory.part(p, step), element))
      .map(p => ({ offset: p.offset, type: laneType(p.type.scalar!) as Word['type'] }))
  }

  /** An access as it is where it stands alone. */
  #alone({ distance, steps }: Access, { array, index, lowest }: Place): Location {
    const { g, memory } = this.#body
    const own = memory.element(array, g.add(index, g.i32(distance - lowest)), false)
    return steps.reduce<Location>((p, step) => memory.part(p, step), { ...own, row: undefined })
  }

  #load(accesses: readonly Access[]): void {
    const { g, memory } = this.#body
    const place = this.#place(accesses)
    const words = accesses.map(access => this.#words(access, place))
    const locals = words.map(own => own.map(({ type }) => g.code.local(type)))
    const set = (k: number, values: readonly Node[]): void =>
      values.forEach((value, i) =>
        g.stmt({ kind: 'set', local: locals[k]![i]!, value: g.as(words[k]![i]!.type, value) }),
      )
    const yes = g.nested(false, () => {
      const byOffset = new Map(words.flat().map(word => [word.offset, word]))
      const found = loadWords(g, place.span, [...byOffset.values()])
      const vectors = new Map([...byOffset.keys()].map((offset, k) => [offset, found[k]!]))
      words.forEach((own, k) =>
        set(
          k,
          own.map(({ offset }) => vectors.get(offset)!),
        ),
      )
    })
    const no = g.nested(false, () => accesses.forEach((a, k) => set(k, memory.load(this.#alone(a, place)))))
    g.stmt({ kind: 'if', cond: place.fits, yes, no, label: new Label() })
    accesses.forEach(({ inst }, k) =>
      this.#body.set(
        inst.results[0]!,
        locals[k]!.map(local => g.get(local)),
      ),
    )
  }

  #store(accesses: readonly Access[]): void {
    const { g, memory } = this.#body
    const place = this.#place(accesses)
    const words = accesses.flatMap(access => this.#words(access, place))
    const nodes = accesses.map(({ inst }) => this.#body.nodes(inst.args[1]!))
    const asLine = isLine(g, place.span.addr)
    const all = asLine && memory.mask !== undefined ? g.all(memory.mask) : undefined
    const yes = g.nested(false, () => {
      const values = nodes.flat().map((value, k) => g.as(words[k]!.type, value))
      if (asLine) storeLines(g, place.span, words, values)
      else {
        const write = storeWords(g, place.span, words, values)
        memory.eachLane(lane => write(lane.index))
      }
    })
    const no = g.nested(false, () => accesses.forEach((a, k) => memory.store(this.#alone(a, place), nodes[k]!)))
    const cond = all === undefined ? place.fits : g.pure(op.i32And, i32, place.fits, all)
    g.stmt({ kind: 'if', cond, yes, no, label: new Label() })
  }
}

const typeOf = ({ inst }: Access) => (inst.op === 'load' ? inst.results[0]!.type : inst.args[1]!.type)
