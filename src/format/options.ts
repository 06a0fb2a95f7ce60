/** How a text is to be formatted. */

/** What a caller may choose. The names are those of the Language Server Protocol where it has the same. */
export interface FormatOptions {
  /** Columns of one step of indentation, and of a tab. Default 4. */
  readonly tabSize?: number | undefined
  /** Whether lines are indented by spaces, and not by tabs. Default true. */
  readonly insertSpaces?: boolean | undefined
  /** Whether a newline is added at the end of a file that has none. Default true. */
  readonly insertFinalNewline?: boolean | undefined
  /** How wide lines get before they break. Default 100. */
  readonly lineWidth?: number | undefined
  /**
   * Where the brace of a body stands: on a line of its own, at the end of the line before, or as most braces of the file do. Default
   * `file`, and `own-line` for a file that has no braces.
   */
  readonly braces?: 'own-line' | 'same-line' | 'file' | undefined
}

/** What the formatter works with. */
export interface Options {
  readonly tabSize: number
  readonly insertSpaces: boolean
  readonly insertFinalNewline: boolean
  readonly lineWidth: number
  readonly braces: 'own-line' | 'same-line' | 'file'
}

/** The options with the defaults for those that are not given. */
export function completed(given: FormatOptions): Options {
  return {
    tabSize: Math.min(Math.max(Math.trunc(given.tabSize ?? 4), 1), 16),
    insertSpaces: given.insertSpaces ?? true,
    insertFinalNewline: given.insertFinalNewline ?? true,
    lineWidth: Math.max(given.lineWidth ?? 100, 1),
    braces: given.braces ?? 'file',
  }
}
