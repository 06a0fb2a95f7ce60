/** Reads plans from JSON: a link may hold anything. */
import { PlanError, type Fill, type Plan, type Value } from './plan.ts'
import type { Optimizer } from './optimizer.ts'

/** The most elements of a buffer that a link may ask for. */
const mostElements = 2 ** 22
/** The highest limit of steps in a second; nothing is that fast. */
const fastest = 1_000_000

/** A plan from JSON. Throws a `PlanError` that names what is wrong. */
export function planFrom(json: unknown): Plan {
  const given = objectAt(json, 'the plan')
  const known = 'subject parameters values buffers uniforms groups optimizer seed picture speed'.split(' ')
  const unknown = Object.keys(given).find(key => !known.includes(key))
  if (unknown !== undefined) throw new PlanError(`A plan has no ${unknown}; it has ${known.join(', ')}`)
  const { subject, parameters, values, buffers, uniforms, groups, optimizer, seed, picture, speed } = given
  return {
    subject: textAt(subject, 'subject'),
    parameters: listAt(parameters, 'parameters').map((p, i) => textAt(p, `parameters[${i}]`)),
    ...(values !== undefined && { values: recordAt(values, 'values', valueAt) }),
    ...(buffers !== undefined && { buffers: recordAt(buffers, 'buffers', fillAt) }),
    ...(uniforms !== undefined && { uniforms: recordAt(uniforms, 'uniforms', valueAt) }),
    ...(groups !== undefined && { groups: groupsAt(groups) }),
    optimizer: optimizerAt(optimizer),
    ...(seed !== undefined && { seed: numberAt(seed, 'seed') }),
    ...(picture !== undefined && { picture: textAt(picture, 'picture') }),
    ...(speed !== undefined && { speed: countAt(speed, 'speed', 1, fastest) }),
  }
}

function fail(where: string, wanted: string): never {
  throw new PlanError(`${where} must be ${wanted}`)
}

function objectAt(json: unknown, where: string): Record<string, unknown> {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
    ? (json as Record<string, unknown>)
    : fail(where, 'an object')
}

function listAt(json: unknown, where: string): readonly unknown[] {
  return Array.isArray(json) ? (json as unknown[]) : fail(where, 'a list')
}

function textAt(json: unknown, where: string): string {
  return typeof json === 'string' && json !== '' ? json : fail(where, 'a name')
}

function numberAt(json: unknown, where: string): number {
  return typeof json === 'number' && Number.isFinite(json) ? json : fail(where, 'a number')
}

function countAt(json: unknown, where: string, least: number, most: number): number {
  return typeof json === 'number' && Number.isInteger(json) && json >= least && json <= most
    ? json
    : fail(where, `a whole number from ${least} to ${most}`)
}

function recordAt<T>(json: unknown, where: string, read: (json: unknown, where: string) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(objectAt(json, where)).map(([k, v]) => [k, read(v, `${where}.${k}`)]))
}

function valueAt(json: unknown, where: string): Value {
  if (typeof json === 'boolean') return json
  if (Array.isArray(json)) return json.map((x, i) => valueAt(x, `${where}[${i}]`))
  return typeof json === 'object' ? recordAt(json, where, valueAt) : numberAt(json, where)
}

function fillAt(json: unknown, where: string): Fill {
  if (Array.isArray(json)) {
    if (json.length === 0) fail(where, 'a list of at least one number')
    return json.map((x, i) => numberAt(x, `${where}[${i}]`))
  }
  const { count, low, high, shape } = objectAt(json, where)
  const bound = (of: unknown, name: string): number | readonly number[] => {
    if (!Array.isArray(of)) return numberAt(of, `${where}.${name}`)
    if (of.length === 0) fail(`${where}.${name}`, 'a list of at least one number')
    return of.map((x, i) => numberAt(x, `${where}.${name}[${i}]`))
  }
  return {
    count: countAt(count, `${where}.count`, 1, mostElements),
    ...(low !== undefined && { low: bound(low, 'low') }),
    ...(high !== undefined && { high: bound(high, 'high') }),
    ...(shape !== undefined && {
      shape: listAt(shape, `${where}.shape`).map((n, i) => countAt(n, `${where}.shape[${i}]`, 1, mostElements)),
    }),
  }
}

function groupsAt(json: unknown): readonly [number, number, number] {
  const [x, y, z] = listAt(json, 'groups').map((n, i) => countAt(n, `groups[${i}]`, 1, 65535))
  return x !== undefined && y !== undefined && z !== undefined ? [x, y, z] : fail('groups', 'three numbers')
}

function optimizerAt(json: unknown): Optimizer {
  const { kind, rate: given, momentum } = objectAt(json, 'optimizer')
  const rate = numberAt(given, 'optimizer.rate')
  switch (kind) {
    case 'sgd':
      return { kind, rate, ...(momentum !== undefined && { momentum: numberAt(momentum, 'optimizer.momentum') }) }
    case 'adam':
      return { kind, rate }
    default:
      return fail('optimizer.kind', '"sgd" or "adam"')
  }
}
