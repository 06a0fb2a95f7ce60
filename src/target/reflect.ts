/** What a host must know of a compiled module to bind its resources and start its entry points: plain data. */
import type { EntryInfo, Global } from '../ir/value.ts'
import { dataType, type DataType } from './data.ts'
import { Layouts } from './layout.ts'

/** How a resource is bound. */
export type BindingKind = 'storage' | 'read-only-storage' | 'uniform' | 'texture' | 'sampler'

/** A resource that an entry point of the module uses. */
export interface BindingInfo {
  /** The name in the source. */
  readonly name: string
  /** The name in the compiled text. */
  readonly target: string
  readonly group: number
  readonly binding: number
  readonly kind: BindingKind
  /** What lies in the buffer, with offsets and strides in bytes: of a structured buffer an array of count 0. Null for textures and samplers. */
  readonly type: DataType | null
}

/** An entry point of the module. */
export interface EntryReflection {
  /** The name in the source. */
  readonly name: string
  /** The name in the compiled text. */
  readonly target: string
  readonly stage: EntryInfo['stage']
  readonly workgroupSize: readonly [number, number, number]
  /** Names of the resources it uses, as in `bindings`. */
  readonly bindings: readonly string[]
}

/** A compiled module to its host. */
export interface Reflection {
  readonly bindings: readonly BindingInfo[]
  readonly entries: readonly EntryReflection[]
  /** Uniforms declared outside of any block, gathered in the buffer `globalParams`; null where no entry point uses any. */
  readonly globalParams: DataType | null
}

/** Describes a bound global; `target` is its name in the compiled text. */
export function reflectBinding(global: Global, target: string, slot: { readonly group: number; readonly binding: number }): BindingInfo {
  const kind: BindingKind = global.resource === 'texture' || global.resource === 'sampler' ? global.resource
    : global.space === 'uniform' ? 'uniform'
    : global.space === 'storage' ? 'read-only-storage' : 'storage'
  const layouts = new Layouts(kind === 'uniform' ? 'uniform' : 'storage')
  return { name: global.name, target, group: slot.group, binding: slot.binding, kind, type: dataType(global.type, layouts) ?? null }
}
