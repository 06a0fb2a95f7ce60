/** Checks what callers give to a host: known names, and memory that fits a buffer's elements. */
import { nearest } from '../base/near.ts'

/** Whether a value is an object, of whatever kind. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Whether a value is an object with something of that name, such as a buffer of WebGPU, whichever implementation made it. */
export function has<N extends string>(value: unknown, name: N): value is { readonly [name in N]: unknown } {
  return isObject(value) && name in value
}

/**
 * The mistake in an object that should only have known names; undefined if it is fine or absent. `what` says whose names they are not. Names of
 * `ignored` are no mistake either, and are not listed.
 */
export function unknownName(
  given: unknown,
  known: () => Iterable<string>,
  what: string,
  ignored: () => Iterable<string> = () => [],
): string | undefined {
  if (given === undefined) return undefined
  if (!isObject(given)) return `${what} ${String(given)}: expected an object of values by name`
  let names: ReadonlySet<string> | undefined
  for (const name of Object.keys(given)) {
    names ??= new Set(known())
    if (names.has(name)) continue
    const all = new Set([...names, ...ignored()])
    if (all.has(name)) continue
    const near = nearest(name, all)
    return `${what} ${name}${near === null ? '' : `: did you mean ${near}?`}; ${names.size === 0 ? 'there are none' : `${names.size === 1 ? 'there is' : 'there are'} ${[...names].join(', ')}`}`
  }
  return undefined
}

/** Which field an object lacks, or has though a struct does not. Its fields are not those of the struct. */
export function wrongFields(given: object, fields: readonly { readonly name: string }[]): string {
  const missing = fields.filter(f => !Object.hasOwn(given, f.name)).map(f => f.name)
  const unknown = Object.keys(given).filter(key => !fields.some(f => f.name === key))
  for (const key of unknown) {
    const near = nearest(key, missing)
    if (near !== null) return `did you mean ${near} by ${key}?`
  }
  return missing.length > 0 ? `${missing[0]} is missing` : `there is no field ${unknown[0]}`
}

/** The mistake in options that should be objects of values by name, such as `buffers`; undefined if they are. */
export function wrongGroup(given: object, owner: string): string | undefined {
  for (const [group, values] of Object.entries(given) as [string, unknown][]) {
    if (values !== undefined && !isObject(values))
      return `${owner} takes no ${group} ${String(values)}: expected an object of values by name`
  }
  return undefined
}

/** The element type of a buffer, as far as it determines which typed arrays fit. */
export type Elements =
  | { readonly kind: 'void' }
  | { readonly kind: 'scalar' | 'vector' | 'matrix'; readonly scalar: string }
  | { readonly kind: 'array'; readonly elem: Elements }
  | { readonly kind: 'struct'; readonly fields: readonly { readonly type: Elements }[] }

/** The typed array of numbers of one kind. Halves come as their bits where there is no array of them; booleans are words. */
const arrays: Readonly<Record<string, readonly string[]>> = {
  f16: ['Float16Array', 'Uint16Array'],
  f32: ['Float32Array'],
  f64: ['Float64Array'],
  i8: ['Int8Array'],
  i16: ['Int16Array'],
  i32: ['Int32Array'],
  i64: ['BigInt64Array'],
  u8: ['Uint8Array'],
  u16: ['Uint16Array'],
  u32: ['Uint32Array'],
  u64: ['BigUint64Array'],
  bool: ['Uint32Array', 'Int32Array'],
}

/** Classes of memory without an element type. */
const bytes: ReadonlySet<string> = new Set([
  'Uint8Array',
  'Uint8ClampedArray',
  'DataView',
  'ArrayBuffer',
  'SharedArrayBuffer',
])

/** The scalar that all numbers of a type are; undefined where they are of several kinds. */
export function onlyScalar(type: Elements): string | undefined {
  switch (type.kind) {
    case 'void':
      return undefined
    case 'array':
      return onlyScalar(type.elem)
    case 'struct': {
      const [first, ...others] = new Set(type.fields.map(f => onlyScalar(f.type)))
      return others.length === 0 ? first : undefined
    }
    default:
      return type.scalar
  }
}

/** The class of a value, whichever window or worker it comes from: `Float32Array`, `DataView`, `ArrayBuffer`, `Array`. */
export function classOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1)
}

/** `a Float32Array`, `an Int8Array`. */
export function withArticle(noun: string): string {
  return `${/^[aeio]/i.test(noun) ? 'an' : 'a'} ${noun}`
}

/** A value in a message, whatever it is. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'bigint') return `${value}n`
  return isObject(value) ? withArticle(classOf(value)) : String(value)
}

/** A text in quotes; of a long one, such as a whole source, the start. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}

/** Whether it is a whole number, none below 0 and none above `most`. */
export function isCount(value: unknown, most: number = Infinity): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most
}

/**
 * What is wrong with memory given for a buffer; undefined where its bytes are what the elements are: a typed array of the kind that
 * all numbers of an element are, or bytes, which is all that a buffer of structs of several kinds may be. `raw` buffers take any.
 */
export function wrongMemory(elem: Elements, raw: boolean, data: unknown): string | undefined {
  if (isDetached(data))
    return `expected memory that can be read, but its ${classOf(data)} was transferred or shrunk and is detached`
  const memory = memoryOf(data)
  const came = memory === undefined && classOf(data) !== 'Array' ? 'Object' : classOf(data)
  if (bytes.has(came) || (raw && ArrayBuffer.isView(data))) return undefined
  const fits = arrays[onlyScalar(elem) ?? ''] ?? []
  if (fits.includes(came)) return undefined
  const kinds = fits.filter(name => name !== 'Float16Array' || name in globalThis)
  const expected =
    kinds.length === 0
      ? 'a list of objects, or bytes (Uint8Array, DataView or ArrayBuffer), for its numbers are of several kinds'
      : `${withArticle(kinds.join(' or '))}, a list of elements, or bytes (Uint8Array, DataView or ArrayBuffer)`
  return `expected ${expected}, but ${memory === undefined ? noMemory(data) : `${withArticle(came)} of length ${(data as { readonly length?: number }).length}`} came`
}

/** A value that is no memory, in a message. */
function noMemory(data: unknown): string {
  if (data === null || data === undefined) return String(data)
  if (!isObject(data)) return `${typeof data} ${String(data)}`
  return `${withArticle(classOf(data))} that is no memory`
}

const lengths = [ArrayBuffer.prototype, globalThis.SharedArrayBuffer?.prototype].flatMap(owner =>
  // oxlint-disable-next-line typescript/unbound-method -- called with a `this` of its own
  owner === undefined ? [] : [Object.getOwnPropertyDescriptor(owner, 'byteLength')!.get!],
)

/** The memory that a value views or is; undefined for others, also for those that only pass for memory, such as a Proxy of it. */
function memoryOf(data: unknown): ArrayBufferLike | undefined {
  if (ArrayBuffer.isView(data)) return data.buffer
  const isOne = lengths.some(length => {
    try {
      length.call(data)
      return true
    } catch {
      return false
    }
  })
  return isOne ? (data as ArrayBufferLike) : undefined
}

/** Whether a value is memory that is gone: it was transferred, is a WebAssembly memory that has grown since, or ends before a `DataView` of it does. */
export function isDetached(data: unknown): boolean {
  try {
    bytesOf(data)
    return false
  } catch {
    return true
  }
}

/** The mistake in a list that results are written to; undefined if it can be written, or is not a list. */
export function wrongList(data: unknown): string | undefined {
  return Array.isArray(data) && Object.isFrozen(data)
    ? 'expected a list that can be written, but a frozen one came'
    : undefined
}

/** Memory as bytes; undefined for what is no memory. */
export function bytesOf(data: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  const memory = memoryOf(data)
  return memory === undefined ? undefined : new Uint8Array(memory)
}
