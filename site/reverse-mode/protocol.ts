/** What the page asks of the worker that compiles, and what it answers. */

export interface Asked {
  readonly id: number
  readonly source: string
}

/** A stage, ready to be shown. */
export interface Shown {
  readonly stage: string
  readonly text: string
  /** The text of an SVG; undefined where there are too many lines to draw. */
  readonly picture: string | undefined
  /** The roles in the picture, in words. */
  readonly legend: string
}

export type Answer =
  | { readonly id: number; readonly subject: string; readonly stages: readonly Shown[] }
  | { readonly id: number; readonly subject: undefined; readonly problem: string }
