/** The packed index of the core library: one character for the content of each line of a file, so that bundles stay small. */
import type { LibraryData } from './library.ts'

type Table = Record<string, number[]>

/** A file of the core library. */
export interface PackedFile {
  /** Its name, as diagnostics show it. */
  readonly name: string
  /** One declaration a line. */
  readonly text: string
  /**
   * For each line where in it its name stands, counted from U+0030; for an extension `!` and where its type stands (`*` for any);
   * after `/` where the function stands that it is a derivative or substitute of.
   */
  readonly keys: string
}

/** The word that begins at an index. Written out, for a cold start waits for it. */
function wordAt(text: string, begin: number): string {
  for (let end = begin; ; end++) {
    const c = text.charCodeAt(end)
    if (c < 48 || (c > 57 && c < 65) || (c > 90 && c < 95) || c > 122) return text.slice(begin, end)
  }
}

/** Unpacks the index when it is first asked for. */
export class PackedLibrary implements LibraryData {
  readonly files: readonly PackedFile[]
  #tables: readonly [Table, Table, Table] | undefined

  constructor(files: readonly PackedFile[]) {
    this.files = files
  }

  get names(): Readonly<Table> {
    return this.#unpacked()[0]
  }
  get extensions(): Readonly<Table> {
    return this.#unpacked()[1]
  }
  get derivatives(): Readonly<Table> {
    return this.#unpacked()[2]
  }

  #unpacked(): readonly [Table, Table, Table] {
    if (this.#tables === undefined) {
      const tables: [Table, Table, Table] = [{}, {}, {}]
      const [names, extensions, derivatives] = tables
      this.files.forEach(({ text, keys }, number) => {
        let start = 0
        for (let at = 0; at < keys.length; at++) {
          const end = text.indexOf('\n', start)
          const add = (table: Table, k: number): void => {
            const name = keys[k] === '*' ? '*' : wordAt(text, start + keys.charCodeAt(k) - 48)
            if (!Object.hasOwn(table, name)) table[name] = []
            table[name]!.push(number, start, end)
          }
          const isExtension = keys[at] === '!'
          if (isExtension) at++
          const isDerived = keys[at + 1] === '/'
          if (isDerived) add(derivatives, at + 2)
          add(isExtension ? extensions : names, at)
          if (isDerived) at += 2
          start = end + 1
        }
      })
      this.#tables = tables
    }
    return this.#tables
  }
}
