/** What JavaScript keeps for itself in modules, the globals of the language, and what emitted modules call things. */
const reserved = `arguments async await break case catch class const continue debugger default delete do else enum eval export extends
false finally for function get if implements import in instanceof interface let new null of package private protected public return set
static super switch this throw true try typeof undefined var void while with yield NaN Infinity Math BigInt Number Array Object String
Boolean Symbol Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError Promise JSON Reflect Proxy Map Set WeakMap
WeakSet WeakRef FinalizationRegistry Function Date RegExp Intl Atomics Iterator WebAssembly DataView ArrayBuffer SharedArrayBuffer Int8Array
Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float16Array Float32Array Float64Array BigInt64Array BigUint64Array
isNaN isFinite parseInt parseFloat encodeURI encodeURIComponent decodeURI decodeURIComponent escape unescape console globalThis
constructor prototype __proto__ then groups buffers resources uniforms counts gx gy gz lx ly lz threads thread done value buffer byteOffset
byteLength bytes running tripsLeft depthLeft loopNow`

/** Hands out names that JavaScript allows and that nothing else has, here or in the scope around. */
export class Names {
  readonly #outer: Names | undefined
  readonly #taken: Set<string>
  /** The number to try next for a name: counting from one again would take time with the square of the names alike. */
  readonly #next = new Map<string, number>()

  constructor(taken: Iterable<string>, outer?: Names) {
    this.#outer = outer
    this.#taken = new Set(taken)
  }

  /** Names for a module that calls what is its own as `taken` says. */
  static module(taken: Iterable<string>): Names {
    return new Names([...reserved.split(/\s+/), ...taken])
  }

  /** A name like the one wanted. */
  fresh(wanted: string): string {
    const base = wanted.replace(/[^\w$]+/g, '_').replace(/_$/, '').replace(/^(?=\d)/, '_') || 't'
    let name = base
    let k = this.#from(base)
    for (; this.#has(name); k++) name = `${base}_${k}`
    this.#next.set(base, k)
    this.#taken.add(name)
    return name
  }

  /** Names for a scope inside: what is taken here is taken there. */
  inside(): Names {
    return new Names([], this)
  }

  #has(name: string): boolean {
    return this.#taken.has(name) || (this.#outer !== undefined && this.#outer.#has(name))
  }

  #from(base: string): number {
    return this.#next.get(base) ?? (this.#outer === undefined ? 1 : this.#outer.#from(base))
  }
}
