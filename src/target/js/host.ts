/**
 * Converts between host values and leaves. Hosts pass numbers, arrays (vectors, matrices as rows, arrays) and plain objects
 * (structs); functions take and return leaves.
 */
import type { Type } from '../../ir/type.ts'
import { component } from '../../ir/type.ts'
import { inputs, outputs, type Func } from '../../ir/value.ts'
import { leavesOf } from '../leaves/leaf.ts'
import { arrayClass } from './array.ts'
import type { Unit } from './unit.ts'

/** A path into host data: `.name` or `[i]`. */
function step(type: Type, i: number): string {
  if (type.kind !== 'struct') return `[${i}]`
  const name = type.fields[i]!.name
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
}

/** A name as a key of an object; `__proto__` as such would be the object's prototype. */
function key(name: string): string {
  if (name === '__proto__') return '["__proto__"]'
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
}

/** Expressions for the leaves of host data at a path. */
export function readLeaves(type: Type, path: string, unit: Unit): string[] {
  if (type.columnsOf !== null)
    return elementsOf(type.columnsOf).map(([row, col]) =>
      coerce(type.columnsOf!.elem!.elem!, `${path}[${row}][${col}]`, unit),
    )
  switch (type.kind) {
    case 'scalar':
      return [coerce(type, path, unit)]
    case 'vec':
    case 'mat':
    case 'struct': {
      const all: string[] = []
      for (let i = 0; i < type.count; i++) all.push(...readLeaves(component(type, i), path + step(type, i), unit))
      return all
    }
    case 'array':
      return leavesOf(type).map(
        (leaf, k) => `${arrayClass(leaf.scalar, unit.scalars.mode)}.from(${gather(type, path, k, unit, 0)})`,
      )
    default:
      return []
  }
}

/** The paths of the leaves of a column-major matrix. */
function elementsOf(matrix: Type): (readonly [number, number])[] {
  return Array.from({ length: matrix.elem!.count }, (_, col) =>
    Array.from({ length: matrix.count }, (_x, row) => [row, col] as const),
  ).flat()
}

/** An iterable of all elements of one leaf of an array, in order. */
function gather(type: Type, path: string, k: number, unit: Unit, depth: number): string {
  const elem = type.elem!
  const e = `e${depth === 0 ? '' : depth}`
  if (elem.kind === 'scalar')
    return elem.scalar === 'bool'
      ? `Array.from(${path}, Number)`
      : isHalf(elem, unit)
        ? `Array.from(${path}, half)`
        : path
  const nested = nestedLeaf(elem, e, k, unit, depth + 1)
  return nested.array
    ? `Array.from(${path}).flatMap(${e} => Array.from(${nested.text}))`
    : `Array.from(${path}, ${e} => ${nested.text})`
}

function nestedLeaf(type: Type, path: string, k: number, unit: Unit, depth: number): { text: string; array: boolean } {
  if (type.kind === 'scalar')
    return {
      text: type.scalar === 'bool' ? `Number(${path})` : isHalf(type, unit) ? `half(${path})` : path,
      array: false,
    }
  if (type.kind === 'array') return { text: gather(type, path, k, unit, depth), array: true }
  if (type.columnsOf !== null) {
    const [row, col] = elementsOf(type.columnsOf)[k]!
    return nestedLeaf(type.columnsOf.elem!.elem!, `${path}[${row}][${col}]`, 0, unit, depth)
  }
  let rest = k
  for (let i = 0; i < type.count; i++) {
    const part = component(type, i)
    const count = leavesOf(part).length
    if (rest < count) return nestedLeaf(part, path + step(type, i), rest, unit, depth)
    rest -= count
  }
  return { text: '0', array: false }
}

/** Whether numbers are to be rounded to half precision, which typed arrays do not do by themselves. */
function isHalf(type: Type, unit: Unit): boolean {
  const rounds = type.scalar === 'f16' && unit.scalars.mode === 'f32'
  if (rounds) unit.helpers.add('half')
  return rounds
}

function coerce(type: Type, path: string, unit: Unit): string {
  switch (type.scalar) {
    case 'bool':
      return `Boolean(${path})`
    case 'i64':
      return `BigInt.asIntN(64, BigInt(${path}))`
    case 'u64':
      return `BigInt.asUintN(64, BigInt(${path}))`
    case 'i32':
      return `${path} | 0`
    case 'u32':
      return `${path} >>> 0`
    case 'f32':
      if (unit.scalars.mode === 'f64') return path
      unit.helpers.add('fround')
      return `fround(${path})`
    case 'f16':
      return isHalf(type, unit) ? `half(${path})` : path
    case 'i16':
      return `${path} << 16 >> 16`
    case 'i8':
      return `${path} << 24 >> 24`
    case 'u16':
      return `${path} & 65535`
    case 'u8':
      return `${path} & 255`
    default:
      return path
  }
}

/** An expression that makes host data of leaves; `leaves` is taken from the front. */
export function writeData(type: Type, leaves: string[], at?: string, depth = 0): string {
  switch (type.kind) {
    case 'scalar': {
      const leaf = leaves.shift()!
      if (at === undefined) return leaf
      return type.scalar === 'bool' ? `${leaf}[${at}] !== 0` : `${leaf}[${at}]`
    }
    case 'vec':
    case 'mat':
      return `[${Array.from({ length: type.count }, () => writeData(type.elem!, leaves, at, depth)).join(', ')}]`
    case 'struct': {
      if (type.columnsOf !== null) {
        const { count, elem } = type.columnsOf
        const columns = Array.from({ length: elem!.count }, () =>
          Array.from({ length: count }, () => writeData(elem!.elem!, leaves, at, depth)),
        )
        return `[${Array.from({ length: count }, (_, row) => `[${columns.map(column => column[row]).join(', ')}]`).join(', ')}]`
      }
      if (type.fields.length === 0) return '{}'
      return `{ ${type.fields.map(f => `${key(f.name)}: ${writeData(f.type, leaves, at, depth)}`).join(', ')} }`
    }
    case 'array': {
      const i = `i${depth === 0 ? '' : depth}`
      const linear = at === undefined ? i : `(${at}) * ${type.count} + ${i}`
      const elem = writeData(type.elem!, leaves, linear, depth + 1)
      const isObject = type.elem!.kind === 'struct' && type.elem!.columnsOf === null
      return `Array.from({ length: ${type.count} }, (_, ${i}) => ${isObject ? `(${elem})` : elem})`
    }
    default:
      return 'undefined'
  }
}

/** The wrapper of an exported function, as text. Private globals begin anew with each call. */
export function wrapper(func: Func, wrapperName: string, unit: Unit, reset: string): string {
  const names = unit.names.inside()
  const params = inputs(func.sig).map(p => ({ type: p.type, name: names.make(p.name, 'p') }))
  const args = params.flatMap(p => readLeaves(p.type, p.name, unit))
  const head = `function ${wrapperName}(${params.map(p => p.name).join(', ')}) {`
  const call = `${unit.funcName(func)}(${args.join(', ')})`
  const leaves = func.results.flatMap((type, r) =>
    leavesOf(type).map(leaf => names.make(`r${func.results.length > 1 ? r : ''}${leaf.suffix}`, 'r')),
  )
  const first = reset === '' ? '' : `  ${reset}\n`
  if (func.results.length === 0) return `${head}\n${first}  ${call}\n}`
  const pattern = leaves.length === 1 ? leaves[0]! : `[${leaves.join(', ')}]`
  const rest = [...leaves]
  const outs = outputs(func.sig)
  const result = func.sig.result.kind === 'void' ? undefined : writeData(func.sig.result, rest)
  const named = outs.map(p => `${key(p.name)}: ${writeData(p.type, rest)}`).join(', ')
  let value = result ?? `{ out: { ${named} } }`
  if (result !== undefined && outs.length > 0) value = `{ result: ${result}, out: { ${named} } }`
  if (first === '' && value === leaves[0]) return `${head}\n  return ${call}\n}`
  // What has no members is given back all the same.
  const taken = leaves.length === 0 ? call : `const ${pattern} = ${call}`
  return `${head}\n${first}  ${taken}\n  return ${value}\n}`
}
