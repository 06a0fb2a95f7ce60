/** Links between a source and its derivative, asked for by line on either side. Knows nothing of VS Code. */

interface Range {
  readonly start: { readonly line: number; readonly character: number }
  readonly end: { readonly line: number; readonly character: number }
}

/** A line of the derivative and what it was made of. */
export interface Link {
  readonly from: Range
  readonly to: Range
  /** Where `from` is, if not in the document that was asked about. */
  readonly uri?: string
}

/** The lines of the derivative that come from any of some lines of a document. */
export function linesMadeOf(
  links: readonly Link[],
  source: string,
  uri: string,
  first: number,
  last: number,
): readonly number[] {
  const found = links.filter(
    link => (link.uri ?? source) === uri && link.from.start.line <= last && link.from.end.line >= first,
  )
  return sorted(found.map(link => link.to.start.line))
}

/** The lines of a document from which any of some lines of the derivative come. */
export function linesBehind(
  links: readonly Link[],
  source: string,
  uri: string,
  first: number,
  last: number,
): readonly number[] {
  const found = links.filter(
    link => (link.uri ?? source) === uri && link.to.start.line <= last && link.to.end.line >= first,
  )
  return sorted(
    found.flatMap(({ from }) =>
      Array.from({ length: from.end.line - from.start.line + 1 }, (_, i) => from.start.line + i),
    ),
  )
}

function sorted(lines: readonly number[]): readonly number[] {
  return [...new Set(lines)].toSorted((a, b) => a - b)
}
