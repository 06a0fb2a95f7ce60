/** The arguments of a map: which are lists with a value for each element, which are one value for all, and how they lie in memory. */
import type { DataType, ExportedFunction } from '../index.ts'
import { isObject, unknownName } from '../host/given.ts'
import { mapBuffers, type Coming, type MapRequest } from '../host/map.ts'
import { isOne, measure, packed, packedOne, type Form } from './columns.ts'
import { NameError, ShapeError } from './errors.ts'
import type { ProgramMemory } from './memory.ts'

/** How `map` calls a function. */
export interface MapOptions {
  /** What is wanted beside the value: gradients as by `valueAndGrad`, or the derivative along `tangents` as by `jvp`. */
  readonly derivative?: 'valueAndGrad' | 'jvp' | undefined
  /** Of `jvp`, by argument: a list with a tangent for each element, or one for all; what is missing is zero. */
  readonly tangents?: Readonly<Record<string, unknown>> | undefined
  /** Arguments that are lists, also where a list of one element could be one value. */
  readonly mapped?: readonly string[] | undefined
  /** Arguments that are one value for all elements. */
  readonly held?: readonly string[] | undefined
}

/** What a map works on. */
export interface Taken {
  readonly request: MapRequest
  /** How many elements the lists have. */
  readonly count: number
  /** Lists as memory, by the names of buffers. */
  readonly lists: ReadonlyMap<string, Uint8Array>
  /** Values that are the same for all elements, likewise. */
  readonly values: ReadonlyMap<string, Uint8Array>
  /** The forms of lists, by the names of arguments. */
  readonly forms: ReadonlyMap<string, Form>
}

/** An `in` or `inout` parameter. */
interface Input {
  readonly name: string
  readonly type: DataType
  /** The type of its derivative. */
  readonly gradient: DataType | null
}

/**
 * Reads and validates arguments and options; `called` is the method that took them. Copies what may change before the kernel reads it:
 * what lies in the program's own memory, and where nobody waits, all.
 */
export function takeArguments(
  called: 'map' | 'mapAsync',
  signature: ExportedFunction,
  args: unknown,
  options: unknown,
  memory: ProgramMemory,
): Taken {
  const of = `${called} of ${signature.name}`
  const inputs = signature.params.flatMap((p, i): Input[] =>
    p.dir === 'out' ? [] : [{ name: p.name, type: p.type, gradient: signature.gradients[i]! }],
  )
  const names = inputs.map(p => p.name)
  const wrong =
    unknownName(options, () => ['derivative', 'tangents', 'mapped', 'held'], `${called} takes no option`) ??
    (args === undefined ? undefined : unknownName(args, () => names, `${signature.name} has no argument`))
  if (wrong !== undefined) throw new NameError(wrong)
  if (!isObject(args) || Array.isArray(args))
    throw new ShapeError(`arguments of ${of}`, `an object of values by name (${names.join(', ')})`, args)
  const { derivative, tangents, ...how } = (options ?? {}) as MapOptions
  const mode = modeOf(derivative)
  refuseWithout(signature, mode)
  if (tangents !== undefined && mode !== 'tangent') throw new NameError(`${of}: tangents are for { derivative: 'jvp' }`)
  const forced = forcedOf(of, how, names)
  const wrongTangent = unknownName(
    tangents,
    () => inputs.flatMap(p => (p.gradient === null ? [] : [p.name])),
    `${signature.name} has no argument with a derivative called`,
  )
  if (wrongTangent !== undefined) throw new NameError(wrongTangent)

  const lists = new Map<string, Uint8Array>()
  const values = new Map<string, Uint8Array>()
  const forms = new Map<string, Form>()
  let first: { readonly where: string; readonly count: number } | undefined
  const take = (name: string, type: DataType, value: unknown, where: string, coming: Coming): Form | undefined => {
    if (coming === 'held') {
      values.set(name, packedOne(type, value, where))
      return undefined
    }
    memory.note(where, value)
    const measured = measure(type, value, where)
    first ??= { where, count: measured.count }
    if (measured.count !== first.count)
      throw new ShapeError(
        where,
        `${first.count} element${first.count === 1 ? '' : 's'}, as ${first.where} has`,
        value,
        String(measured.count),
      )
    const bytes = packed(type, value, measured, where)
    const stays = called === 'map' && memory.partOf(where, value) === undefined
    lists.set(name, stays ? bytes : bytes.slice())
    return measured.form
  }
  const given = args as Readonly<Record<string, unknown>>
  const primals = inputs.map(({ name, type }): Coming => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    const coming = forced.get(name) ?? comingOf(type, value)
    const form = take(mapBuffers.primal(name), type, value, name, coming)
    if (form !== undefined) forms.set(name, form)
    return coming
  })
  const along = inputs.map(({ name, gradient }): Coming | 'zero' => {
    const value = tangents !== undefined && Object.hasOwn(tangents, name) ? tangents[name] : undefined
    if (value === undefined || value === null || gradient === null) return 'zero'
    const coming = comingOf(gradient, value)
    take(mapBuffers.tangent(name), gradient, value, `tangents.${name}`, coming)
    return coming
  })
  if (first === undefined)
    throw new ShapeError(
      `arguments of ${of}`,
      'a list with a value for each element, for one of them at least',
      args,
      'one value for each',
      names.length === 0 ? '' : `say which are lists of one element, such as { mapped: ['${names[0]!}'] }`,
    )
  return { request: { of: signature.name, mode, primals, tangents: along }, count: first.count, lists, values, forms }
}

function modeOf(derivative: unknown): MapRequest['mode'] {
  switch (derivative) {
    case undefined:
      return 'value'
    case 'valueAndGrad':
      return 'gradient'
    case 'jvp':
      return 'tangent'
    default:
      throw new ShapeError('derivative', "'valueAndGrad' or 'jvp'", derivative)
  }
}

/** Throws if the function does not have the derivative. */
function refuseWithout({ name, differentiable }: ExportedFunction, mode: MapRequest['mode']): void {
  if (mode === 'value' || differentiable === 'backward') return
  if (differentiable === 'none')
    throw new NameError(
      `${name} has no ${mode === 'tangent' ? 'forward' : 'reverse'} derivative: mark it [Differentiable]`,
    )
  if (mode === 'gradient') throw new NameError(`${name} has no reverse derivative: it has forward derivatives only`)
}

/** What the caller says of arguments. */
function forcedOf(
  of: string,
  how: Readonly<Partial<Record<Coming, unknown>>>,
  names: readonly string[],
): ReadonlyMap<string, Coming> {
  const forced = new Map<string, Coming>()
  for (const coming of ['mapped', 'held'] as const) {
    const list = how[coming]
    if (list === undefined) continue
    if (!Array.isArray(list) || list.some(name => typeof name !== 'string'))
      throw new ShapeError(coming, 'a list of names of arguments', list)
    for (const name of list as readonly string[]) {
      const wrong = unknownName({ [name]: coming }, () => names, `${of}: there is no argument`)
      if (wrong !== undefined) throw new NameError(wrong)
      if (forced.get(name) === 'mapped' && coming === 'held') throw new NameError(`${of}: ${name} is mapped and held`)
      forced.set(name, coming)
    }
  }
  return forced
}

/** What has the form of one value is one, and all else a list. A list of one element may have both: the numbers are the same. */
function comingOf(type: DataType, value: unknown): Coming {
  return type.size === 0 || isOne(type, value) ? 'held' : 'mapped'
}
