export interface GalleryProgram {
  readonly at: readonly number[]
  readonly names: readonly string[]
  readonly hand: readonly number[]
  readonly f: (...at: number[]) => unknown
  readonly differences: (f: (...at: number[]) => unknown, at: readonly number[]) => number[]
  readonly wrong?: readonly ('webgpu' | 'wasm' | 'js')[]
}
export const programs: Readonly<Record<string, GalleryProgram>>
