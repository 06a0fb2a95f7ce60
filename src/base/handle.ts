/** What the textures and samplers of the core library are, by the names that the library gives their types. */

export interface SamplerKind {
  readonly is: 'sampler'
  /** It compares depths. */
  readonly compares: boolean
}

export interface TextureKind {
  readonly is: 'texture'
  /** What a program may do with texels. */
  readonly access: 'read' | 'write' | 'read-write'
  readonly shape: '1D' | '2D' | '3D' | 'Cube'
  readonly isArray: boolean
  readonly isMultisampled: boolean
}

export type HandleKind = SamplerKind | TextureKind

const accesses = { '': 'read', W: 'write', RW: 'read-write' } as const
const shapes = ['1D', '2D', '3D', 'Cube'] as const

const kinds: ReadonlyMap<string, HandleKind> = new Map<string, HandleKind>([
  ['SamplerState', { is: 'sampler', compares: false }],
  ['SamplerComparisonState', { is: 'sampler', compares: true }],
  ...Object.entries(accesses).flatMap(([prefix, access]) =>
    shapes.flatMap(shape =>
      ['', 'Array', 'MS', 'MSArray'].map((suffix): [string, TextureKind] => [
        `${prefix}Texture${shape}${suffix}`,
        { is: 'texture', access, shape, isArray: suffix.endsWith('Array'), isMultisampled: suffix.startsWith('MS') },
      ]),
    ),
  ),
])

/** What the library's type of that name is; undefined for no texture and no sampler. */
export function handleKind(name: string): HandleKind | undefined {
  return kinds.get(name)
}
