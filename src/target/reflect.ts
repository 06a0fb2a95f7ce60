/** Reflection: what a host must know of a compiled module to bind its resources and start its entry points, as plain data. */
import type { ScalarName, Type } from '../ir/type.ts'
import type { Binding, Global, Module } from '../ir/value.ts'
import { dataType, type DataType } from './data.ts'
import { layouts, layoutsOf } from '../ir/layout.ts'

/** How a resource is bound. */
export type BindingKind = 'storage' | 'read-only-storage' | 'uniform' | 'texture' | 'storage-texture' | 'sampler'

/** The view of a texture that has to be bound, as WebGPU names it. */
export type TextureDimension = '1d' | '2d' | '2d-array' | '3d' | 'cube' | 'cube-array'

/** A texture or sampler as an entry of a bind group's layout. */
export type HandleInfo =
  | {
      readonly kind: 'texture'
      readonly texture: {
        readonly dimension: TextureDimension
        readonly sampleType: 'float' | 'unfilterable-float' | 'depth' | 'sint' | 'uint'
        readonly multisampled: boolean
      }
    }
  | {
      readonly kind: 'storage-texture'
      readonly storageTexture: {
        readonly dimension: TextureDimension
        readonly format: string
        readonly access: 'read-only' | 'write-only' | 'read-write'
      }
    }
  | { readonly kind: 'sampler'; readonly sampler: 'filtering' | 'non-filtering' | 'comparison' }

/** A resource that an entry point of the module uses. */
export interface BindingInfo {
  /** The name in the source; of a resource in a struct or array, those of its variable and fields and indices, joined by `_`. */
  readonly name: string
  /** The same as a path: `['material', 'albedo']`, `['pictures', 2]`. */
  readonly path: readonly (string | number)[]
  /** The name in the compiled text. */
  readonly target: string
  readonly group: number
  readonly binding: number
  readonly kind: BindingKind
  /** What lies in the buffer, with offsets and strides in bytes: of a structured buffer an array of count 0. Null for textures and samplers. */
  readonly type: DataType | null
  /** Of a texture or sampler; null for buffers. */
  readonly handle: HandleInfo | null
  /** True for a byte-address buffer, whose contents have no declared type. */
  readonly raw?: true
}

/** An entry point of the module. */
export interface EntryReflection {
  /** The name in the source. */
  readonly name: string
  /** The name in the compiled text. */
  readonly target: string
  readonly stage: 'compute' | 'vertex' | 'fragment'
  readonly workgroupSize: readonly [number, number, number]
  /** Names of the resources it uses, as in `bindings`. */
  readonly bindings: readonly string[]
  /** What it takes from the pipeline, system values included, in order. */
  readonly inputs: readonly VaryingInfo[]
  /** What it gives: empty for compute. */
  readonly outputs: readonly VaryingInfo[]
}

/** A scalar or vector that an entry point takes from the pipeline or gives to it. */
export interface VaryingInfo {
  /** The path of the field or parameter in the source, joined by `_`. */
  readonly name: string
  /** In upper case, with its number: `TEXCOORD0`, `SV_TARGET1`; system values without. */
  readonly semantic: string
  /** What WGSL calls a system value; null where there is a location. */
  readonly builtin: string | null
  /** Null where it is a system value. */
  readonly location: number | null
  /** As WGSL writes it: `flat`, `linear`, `perspective, centroid` …; '' for its default. */
  readonly interpolation: string
  readonly type: DataType
}

/** A call of `printf`: its format, and the kinds of its scalars. */
export interface PrintFormat {
  readonly format: string
  readonly args: readonly ScalarName[]
}

/**
 * How WGSL prints: into a buffer that begins with the number of 32-bit words that were wanted, which may be more than
 * there are. Records follow, each the number of a format, counted from 1, and a word for each of its scalars.
 */
export interface PrintInfo {
  /** The buffer's name in `bindings`. */
  readonly binding: string
  readonly formats: readonly PrintFormat[]
}

/** A resource or a plain value among the shader parameters, however deep in structs, and where a host puts it. */
export interface ParameterInfo {
  /** Its variable or parameter, then names of fields and indices. */
  readonly path: readonly (string | number)[]
  /** The entry point whose parameter it belongs to; null for variables of the module. */
  readonly entry: string | null
  /** The name of the resource, as in `bindings`; for a plain value that of the uniform buffer it lies in. */
  readonly binding: string
  /** The field of that buffer; null for a resource. */
  readonly field: string | null
}

/** A compiled module to its host. */
export interface Reflection {
  readonly bindings: readonly BindingInfo[]
  readonly entries: readonly EntryReflection[]
  /** All shader parameters by the names of the source, also those that no entry point uses. */
  readonly parameters: readonly ParameterInfo[]
  /** Uniforms declared outside of any block, gathered in the buffer `globalParams`; null where no entry point uses any. */
  readonly globalParams: DataType | null
  /** Features of a device that the module needs, as WebGPU names them: `shader-f16`, `subgroups`, `bgra8unorm-storage`. */
  readonly features: readonly string[]
  /** Where something is printed; else null. */
  readonly prints: PrintInfo | null
}

/** Describes the shader parameters of a module, used or not. */
export function reflectParameters(module: Module): ParameterInfo[] {
  return module.parameters.map(({ path, entry, global, field }) => ({
    path,
    entry,
    binding: global.name,
    field: field === null ? null : global.type.fields[field]!.name,
  }))
}

/** Describes what an entry point takes or gives. */
export function reflectVarying(
  name: string,
  semantic: string,
  type: Type,
  builtin: string | null,
  location: number | null,
  interpolation: string,
): VaryingInfo {
  return { name, semantic, builtin, location, interpolation, type: dataType(type, layouts.storage)! }
}

/** Describes a bound global; `target` is its name in the compiled text. */
export function reflectBinding(
  global: Global,
  target: string,
  { group, binding }: Binding,
  handle: HandleInfo | null = null,
): BindingInfo {
  const kind: BindingKind =
    handle !== null
      ? handle.kind
      : global.resource === 'texture' || global.resource === 'sampler'
        ? global.resource
        : global.space === 'uniform'
          ? 'uniform'
          : global.space === 'storage'
            ? 'read-only-storage'
            : 'storage'
  const raw = global.resource === 'bytes' ? ({ raw: true } as const) : {}
  return {
    name: global.name,
    path: global.path ?? [global.name],
    target,
    group,
    binding,
    kind,
    type: dataType(global.declared, layoutsOf(global)) ?? null,
    handle,
    ...raw,
  }
}
