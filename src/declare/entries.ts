/** What entry points take, as types in TypeScript. */
import { KernelParameters } from '../host/tensor.ts'
import type { DataType } from '../target/data.ts'
import type { BindingInfo, EntryReflection, Reflection } from '../target/reflect.ts'
import { Values, arrayOf, key, objectType } from './value.ts'

/**
 * Declares a type for each struct, and `Entries`: for each entry point what its buffers, uniforms and tensors hold by name, and the
 * names of its textures and samplers. `attach<Entries>` and `load<Entries>` take it.
 */
export function reflectionTypes(reflection: Reflection): string {
  const values = new Values()
  const entries = entriesType(reflection, values)
  return [...values.declarations, entries].join('\n')
}

/** The declaration of `Entries`. Where several stages share a name, it is that of the kernel, which hosts call by its name. */
export function entriesType(reflection: Reflection, values: Values): string {
  const byName = new Map(reflection.entries.map(e => [e.name, e]))
  for (const entry of reflection.entries) if (entry.stage === 'compute') byName.set(entry.name, entry)
  return `export type Entries = {\n${[...byName.values()].map(e => entryType(e, reflection, values)).join('')}}\n`
}

function entryType(entry: EntryReflection, reflection: Reflection, values: Values): string {
  const own = reflection.bindings.filter(b => entry.bindings.includes(b.name) && b.name !== reflection.prints?.binding)
  const parameters = new KernelParameters(entry.name, reflection.parameters, entry.bindings)
  const { tensors, implied, foreign } = parameters
  const elements = (name: string): string => {
    const binding = own.find(b => b.name === name)
    return binding === undefined ? 'never' : bufferType(binding, values)
  }
  const optional = (name: string): string => (implied.has(name) || foreign.has(name) ? `${key(name)}?` : key(name))
  const buffers = own
    .filter(b => b.handle === null && b.kind !== 'uniform')
    .map(b => `${optional(b.name)}: ${bufferType(b, values)}`)
  const uniforms = own
    .filter(b => b.kind === 'uniform')
    .flatMap(({ name, type }) => {
      // Uniforms outside of blocks are known one by one.
      if (name === 'globalParams' && type?.kind === 'struct')
        return type.fields.map(f => `${optional(f.name)}: ${values.taken(f.type)}`)
      return type === null ? [] : [`${key(name)}: ${values.taken(type)}`]
    })
  const named = (...kinds: BindingInfo['kind'][]): string => {
    const list = own.filter(b => kinds.includes(b.kind))
    return list.length === 0 ? 'never' : list.map(b => JSON.stringify(b.name)).join(' | ')
  }
  return [
    `  ${key(entry.name)}: {`,
    ...(entry.stage === 'compute' ? [] : [`    stage: '${entry.stage}'`]),
    `    buffers: ${objectType(buffers)}`,
    `    uniforms: ${objectType(uniforms)}`,
    ...(tensors.length === 0
      ? []
      : [`    tensors: ${objectType(tensors.map(t => `${key(t.name)}: ${elements(t.data)}`))}`]),
    `    textures: ${named('texture', 'storage-texture')}`,
    `    samplers: ${named('sampler')}`,
    '  }\n',
  ].join('\n')
}

/** What a buffer may be filled with: a typed array where all its numbers are of one kind, or a list of elements. */
function bufferType({ type, raw }: BindingInfo, values: Values): string {
  if (raw === true) return 'ArrayBufferView | readonly number[]'
  if (type === null) return 'unknown'
  // It ends with an array without a length.
  if (type.kind === 'struct') return 'ArrayBufferView'
  const array = arrayOf(type)
  const list = values.text(type.kind === 'array' ? type : listOf(type))
  return array === undefined ? list : `${array} | ${list}`
}

function listOf(elem: DataType): DataType {
  return { kind: 'array', elem, count: 0, stride: elem.size, size: 0 }
}
