/** Declares the types of a program's buffers and uniforms in TypeScript, from reflection. */
import type { DataType } from './data.ts'
import type { BindingInfo, Reflection } from './reflect.ts'

/** Names that no interface in TypeScript may have, and the file's own names. */
const reserved = `any bigint boolean never null number object string symbol undefined unknown void Entries arguments await break case catch class const continue debugger default
delete do else enum eval export extends false finally for function if implements import in instanceof interface let new package private protected public return static super
switch this throw true try typeof var while with yield`

/**
 * Declares an interface for each struct and `Entries`: for each entry point the values of its buffers and uniforms by name, and
 * the names of its textures and samplers. Vectors are tuples, matrices tuples of rows, as `cotangent/gpu` and `cotangent/cpu` take them.
 */
export function reflectionTypes(reflection: Reflection): string {
  /** Declarations, and names by those of the source. */
  const structs = new Map<string, string>()
  const names = new Map<string, string>()
  const taken = new Set(reserved.split(/\s+/))
  const nameOf = (source: string): string => {
    let name = names.get(source)
    if (name === undefined) {
      name = source.replace(/\W/g, '_').replace(/^(?=\d)/, '_') || '_'
      while (taken.has(name)) name += '_'
      taken.add(name)
      names.set(source, name)
    }
    return name
  }
  const property = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))
  const text = (type: DataType): string => {
    switch (type.kind) {
      case 'void':
        return 'void'
      case 'scalar':
        return type.scalar === 'bool'
          ? 'boolean'
          : type.scalar.endsWith('64') && type.scalar !== 'f64'
            ? 'bigint'
            : 'number'
      case 'vector':
        return `[${Array.from({ length: type.count }, () => text({ kind: 'scalar', scalar: type.scalar, size: 0 })).join(', ')}]`
      case 'matrix':
        return `[${Array.from({ length: type.rows }, () => text({ kind: 'vector', scalar: type.scalar, count: type.cols, size: 0 })).join(', ')}]`
      case 'array':
        return `${text(type.elem)}[]`
      case 'struct': {
        const name = nameOf(type.name)
        if (!structs.has(name)) {
          structs.set(name, '')
          structs.set(
            name,
            `export interface ${name} {\n${type.fields.map(f => `  ${property(f.name)}: ${text(f.type)}\n`).join('')}}\n`,
          )
        }
        return name
      }
    }
  }
  const entries = reflection.entries.map(entry => {
    const own = reflection.bindings.filter(
      b => entry.bindings.includes(b.name) && b.name !== reflection.prints?.binding,
    )
    const object = (list: readonly BindingInfo[]): string =>
      list.length === 0
        ? '{}'
        : `{ ${list
            .flatMap(b => {
              // Uniforms outside of blocks are known one by one.
              if (b.name === 'globalParams' && b.type?.kind === 'struct')
                return b.type.fields.map(f => `${property(f.name)}: ${text(f.type)}`)
              return b.type === null ? [] : [`${property(b.name)}: ${text(b.type)}`]
            })
            .join('; ')} }`
    const listed = (list: readonly BindingInfo[]): string =>
      list.length === 0 ? 'never' : list.map(b => JSON.stringify(b.name)).join(' | ')
    return [
      `  ${property(entry.name)}: {`,
      `    buffers: ${object(own.filter(b => b.handle === null && b.kind !== 'uniform'))}`,
      `    uniforms: ${object(own.filter(b => b.kind === 'uniform'))}`,
      `    textures: ${listed(own.filter(b => b.kind === 'texture' || b.kind === 'storage-texture'))}`,
      `    samplers: ${listed(own.filter(b => b.kind === 'sampler'))}`,
      '  }',
    ].join('\n')
  })
  return [...structs.values(), `export interface Entries {\n${entries.map(e => `${e}\n`).join('')}}\n`].join('\n')
}
