import type { GalleryProgram } from './list.mjs'

export interface Recorded {
  readonly ours: Readonly<Record<'webgpu' | 'wasm' | 'js', readonly number[]>>
  readonly theirs: { readonly numbers?: readonly number[]; readonly refused?: string }
}
export function programsOf(page: string): Readonly<Record<string, string>>
export function shown(x: number): string
export function isRight(x: number, hand: number): boolean
export function filled(
  page: string,
  programs: Readonly<Record<string, GalleryProgram>>,
  recorded: Readonly<Record<string, Recorded>>,
): string
