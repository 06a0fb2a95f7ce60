/** Where lines of WGSL come from. */
import type { Place, Span } from '../base/source.ts'

/** What tells of each line of a text where it comes from. */
export interface Mapped {
  readonly sourceMap: readonly { readonly line: number; readonly span: Span }[]
}

/**
 * The place in the source that a line of WGSL (counted from 1, as WebGPU counts them in its messages) comes from: its own, else that
 * of the nearest line above; undefined where there is none.
 */
export function sourceOf(wgsl: Mapped, line: number): Place | undefined {
  return wgsl.sourceMap.findLast(m => m.line <= line && !m.span.file.isCore)?.span.place
}
