/** Which lines of a text belong to which lines of the source: made once from the server's links, then asked for with each line that somebody points at. */

interface Lines {
  readonly start: { readonly line: number }
  readonly end: { readonly line: number }
}

/** A line of a text and what it was made of, as the server says it. */
export interface Link {
  readonly from: Lines
  readonly to: Lines
  /** Where `from` is, if not in the document that was asked about. */
  readonly uri?: string
}

/** A line of a file. Lines count from 0. */
export interface SourceLine {
  readonly file: string
  readonly line: number
}

/** The links of one text, both ways. */
export class LinkedLines {
  readonly #bySource = new Map<string, Set<number>>()
  readonly #byLine = new Map<number, Map<string, SourceLine>>()

  /** `fileOf` gives the file of a link; undefined for what is no file of the project. */
  constructor(links: readonly Link[], fileOf: (uri: string | undefined) => string | undefined) {
    for (const { from, to, uri } of links) {
      const file = fileOf(uri)
      if (file === undefined) continue
      for (let line = from.start.line; line <= from.end.line; line++) {
        const key = keyOf({ file, line })
        for (let own = to.start.line; own <= to.end.line; own++) {
          setDefault(this.#bySource, key, () => new Set<number>()).add(own)
          setDefault(this.#byLine, own, () => new Map<string, SourceLine>()).set(key, { file, line })
        }
      }
    }
  }

  /** The lines of the source that a line of the text was made of. */
  behind(line: number): readonly SourceLine[] {
    return [...(this.#byLine.get(line)?.values() ?? [])]
  }

  /** The lines of the text that were made of any of these of the source, in order. */
  madeOf(source: readonly SourceLine[]): readonly number[] {
    const found = new Set(source.flatMap(s => [...(this.#bySource.get(keyOf(s)) ?? [])]))
    return [...found].toSorted((a, b) => a - b)
  }
}

function keyOf({ file, line }: SourceLine): string {
  return `${line} ${file}`
}

function setDefault<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
