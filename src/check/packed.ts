/** The core library's index, packed: what stands on each line of a file is one word, so that bundles stay small. */
import type { LibraryData } from './library.ts'

type Table = Record<string, number[]>

export interface PackedFile {
  readonly name: string
  /** One declaration a line. */
  readonly text: string
  /** For each line its name, `^Type` for an extension of a type; after `/` the function that it is a derivative or substitute of. */
  readonly keys: string
}

/** Unpacks the index when it is first asked for. */
export class PackedLibrary implements LibraryData {
  readonly files: readonly PackedFile[]
  #tables: readonly [Table, Table, Table] | undefined

  constructor(files: readonly PackedFile[], more: readonly PackedFile[] = []) {
    this.files = [...files, ...more]
  }

  get names(): Readonly<Table> { return this.#unpacked()[0] }
  get extensions(): Readonly<Table> { return this.#unpacked()[1] }
  get derivatives(): Readonly<Table> { return this.#unpacked()[2] }

  #unpacked(): readonly [Table, Table, Table] {
    if (this.#tables === undefined) {
      const tables: [Table, Table, Table] = [{}, {}, {}]
      const [names, extensions, derivatives] = tables
      this.files.forEach((file, number) => {
        let start = 0
        for (const key of file.keys.split(' ')) {
          const end = file.text.indexOf('\n', start)
          const add = (table: Table, name: string): void => {
            if (!Object.hasOwn(table, name)) table[name] = []
            table[name]!.push(number, start, end)
          }
          const [name, of] = key.split('/')
          if (of !== undefined) add(derivatives, of)
          if (name!.startsWith('^')) add(extensions, name!.slice(1))
          else add(names, name!)
          start = end + 1
        }
      })
      this.#tables = tables
    }
    return this.#tables
  }
}
