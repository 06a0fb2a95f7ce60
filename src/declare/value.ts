/** Types of host values in TypeScript. */
import { onlyScalar } from '../host/given.ts'
import type { DataType } from '../target/data.ts'

/** Names that no type in TypeScript may have, and those of the module's own types. */
const reserved = `any bigint boolean never null number object string symbol undefined unknown void Entries Functions arguments await break case catch class const continue debugger default
delete do else enum eval export extends false finally for function if implements import in instanceof interface let new package private protected public return static super
switch this throw true try typeof var while with yield CompiledProgram Reflection ArrayBufferView Float16Array Float32Array Float64Array Int8Array Int16Array Int32Array BigInt64Array Uint8Array
Uint16Array Uint32Array BigUint64Array`

const identifier = /^[A-Za-z_$][\w$]*$/

/** A name as a key of an object type. */
export function key(name: string): string {
  return identifier.test(name) ? name : JSON.stringify(name)
}

/** Whether a name can be declared as a variable of a module. */
export function isFree(name: string): boolean {
  return identifier.test(name) && !words.has(name)
}

const words: ReadonlySet<string> = new Set(reserved.split(/\s+/))

/** An object type of members that are written already, on one line. */
export function objectType(members: readonly string[]): string {
  return members.length === 0 ? '{}' : `{ ${members.join('; ')} }`
}

const arrays: Readonly<Record<string, string>> = {
  f16: 'Uint16Array',
  f32: 'Float32Array',
  f64: 'Float64Array',
  i8: 'Int8Array',
  i16: 'Int16Array',
  i32: 'Int32Array',
  i64: 'BigInt64Array',
  u8: 'Uint8Array',
  u16: 'Uint16Array',
  u32: 'Uint32Array',
  u64: 'BigUint64Array',
  bool: 'Uint32Array',
}

/** The typed array of numbers of the one kind that a type consists of; undefined where it consists of several. */
export function arrayOf(type: DataType): string | undefined {
  return arrays[onlyScalar(type) ?? '']
}

/** Writes types, and declares each struct once, under a name that is free. */
export class Values {
  readonly #declarations = new Map<string, string>()
  readonly #names = new Map<string, string>()
  readonly #taken = new Set(words)

  /** The declarations of all structs that were written. */
  get declarations(): readonly string[] {
    return [...this.#declarations.values()]
  }

  /** The type as a host gives it: vectors as tuples, matrices as tuples of rows, structs as objects. */
  text(type: DataType): string {
    switch (type.kind) {
      case 'void':
        return 'void'
      case 'scalar':
        return scalar(type.scalar)
      case 'vector':
        return tuple(type.count, scalar(type.scalar))
      case 'matrix':
        return tuple(type.rows, tuple(type.cols, scalar(type.scalar)))
      case 'array':
        return `readonly ${this.#element(type.elem)}[]`
      case 'struct':
        return this.#struct(type)
    }
  }

  /** The type as a host takes it: also a typed array where all is numbers of one kind. */
  taken(type: DataType): string {
    const array = type.kind === 'scalar' || type.kind === 'struct' ? undefined : arrayOf(type)
    const text = this.text(type)
    return array === undefined || (type.kind === 'array' && type.elem.kind !== 'scalar') ? text : `${text} | ${array}`
  }

  /** A list of values as `map` gives it: a typed array with all components, of structs an object with a list for each field. */
  columns(type: DataType | null): string {
    if (type === null) return 'null'
    switch (type.kind) {
      case 'void':
        return 'undefined'
      case 'array':
        return this.columns(type.elem)
      case 'struct':
        return objectType(type.fields.map(f => `readonly ${key(f.name)}: ${this.columns(f.type)}`))
      default:
        // Halves come as floats, and booleans as bytes.
        return type.scalar === 'f16' ? 'Float32Array' : type.scalar === 'bool' ? 'Uint8Array' : arrays[type.scalar]!
    }
  }

  #element(type: DataType): string {
    const text = this.text(type)
    return text.startsWith('readonly ') ? `(${text})` : text
  }

  #struct(type: DataType & { readonly kind: 'struct' }): string {
    const known = this.#names.get(type.name)
    if (known !== undefined) return known
    let name = type.name.replace(/\W/g, '_').replace(/^(?=\d)/, '_') || '_'
    while (this.#taken.has(name)) name += '_'
    this.#taken.add(name)
    this.#names.set(type.name, name)
    // Its place is before those of the structs in it.
    this.#declarations.set(name, '')
    if (type.variants !== undefined) {
      const kinds = type.variants.map(v =>
        objectType([`type: ${JSON.stringify(v.name)}`, `value: ${this.text(v.type)}`]),
      )
      this.#declarations.set(name, `export type ${name} = ${kinds.join(' | ') || 'never'}\n`)
      return name
    }
    const fields = type.fields.map(f => `  ${key(f.name)}: ${this.text(f.type)}\n`)
    this.#declarations.set(name, `export type ${name} = {\n${fields.join('')}}\n`)
    return name
  }
}

function scalar(name: string): string {
  if (name === 'bool') return 'boolean'
  return name === 'i64' || name === 'u64' ? 'bigint' : 'number'
}

function tuple(count: number, of: string): string {
  return `readonly [${Array.from({ length: count }, () => of).join(', ')}]`
}
