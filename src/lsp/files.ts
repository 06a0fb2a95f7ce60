/** Files that a client sends where the server cannot read them itself, in front of those that it can. */
import type { Host } from '../editor/workspace.ts'
import { pathOf } from '../editor/uri.ts'

/** The notification `cotangent/files`: texts by URI, `null` for a file that is gone. */
export interface FilesParams {
  readonly files: Readonly<Record<string, string | null>>
}

/** A host with the files of a client. */
export class SentFiles implements Host {
  readonly #under: Host
  readonly #texts = new Map<string, string>()

  constructor(under: Host) {
    this.#under = under
  }

  take({ files }: FilesParams): void {
    for (const [uri, text] of Object.entries(files)) {
      if (text === null) this.#texts.delete(pathOf(uri))
      else this.#texts.set(pathOf(uri), text)
    }
  }

  read(path: string): string | undefined {
    return this.#texts.get(path) ?? this.#under.read(path)
  }

  list(folder: string, endings: readonly string[]): readonly string[] {
    const isAsked = (path: string): boolean => path.startsWith(`${folder}/`) && endings.some(e => path.endsWith(e))
    const own = [...this.#texts.keys()].filter(isAsked)
    return [...new Set([...own, ...(this.#under.list?.(folder, endings) ?? [])])]
  }
}
