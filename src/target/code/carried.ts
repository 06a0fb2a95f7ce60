/** Where a function reads the values that its loops carry. */
import type { Func, Inst, Region, Value } from '../../ir/value.ts'
import type { Forms } from './forms.ts'

const none: readonly never[] = []

export class CarriedReads {
  readonly #forms: Forms
  /** By carried value: the numbers of the instructions that read it, ascending. */
  readonly #reads = new Map<Value, number[]>()
  readonly #within: (readonly Value[] | undefined)[] = []
  #next = 0

  /** Numbers the instructions of a function in the order of their text. */
  constructor(func: Func, forms: Forms) {
    this.#forms = forms
    this.#walk(func.body!)
  }

  #walk({ insts }: Region): void {
    for (let i = 0; i < insts.length; i++) {
      const inst = insts[i]!
      const at = (inst.mark = this.#next++)
      if (inst.op === 'loop') for (const p of inst.regions[0]!.params) this.#reads.set(p, [])
      for (let k = 0; k < inst.args.length; k++) {
        for (const v of this.#carriedIn(inst.args[k]!)) this.#reads.get(v)!.push(at)
      }
      for (let k = 0; k < inst.regions.length; k++) this.#walk(inst.regions[k]!)
    }
  }

  /** The carried values in the expression of a value. */
  #carriedIn(v: Value): readonly Value[] {
    if (this.#reads.size === 0) return none
    if (this.#reads.has(v)) return [v]
    if (v.def.op === 'param' || this.#forms.of(v) !== 'always') return none
    let known = this.#within[v.id]
    if (known === undefined) this.#within[v.id] = known = [...new Set(v.def.args.flatMap(a => this.#carriedIn(a)))]
    return known
  }

  /** True where something inside the construct reads the carried value. */
  inside(inst: Inst, v: Value): boolean {
    return this.#anyOf(v, inst.mark + 1, lastIn(inst))
  }

  /** True where something after the construct and before the end of its region reads the carried value. */
  after(inst: Inst, region: Region, v: Value): boolean {
    return this.#anyOf(v, lastIn(inst) + 1, region.end.mark)
  }

  #anyOf(v: Value, from: number, to: number): boolean {
    const list = this.#reads.get(v)!
    let [low, high] = [0, list.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (list[middle]! >= from) high = middle
      else low = middle + 1
    }
    return low < list.length && list[low]! <= to
  }
}

/** The number of the last instruction in a construct. */
function lastIn(inst: Inst): number {
  return inst.regions.length === 0 ? inst.mark : inst.regions[inst.regions.length - 1]!.end.mark
}
