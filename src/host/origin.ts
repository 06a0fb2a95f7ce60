/** Source positions of lines of WGSL. */
import type { Position, Span } from '../base/source.ts'

/** A text with the span of each of its lines. */
export interface Mapped {
  readonly sourceMap: readonly { readonly line: number; readonly span: Span }[]
}

/**
 * The source position of a line of WGSL, counted from 1 as in WebGPU's messages: its own, or that of the nearest line above;
 * undefined if there is none.
 */
export function sourceOf(wgsl: Mapped, line: number): Position | undefined {
  return wgsl.sourceMap.findLast(m => m.line <= line && !m.span.file.isCore)?.span.position
}
