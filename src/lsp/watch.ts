/** Asks a client to say when files change on disk: shaders and project files, and whatever else a program includes. */
import {
  DidChangeWatchedFilesNotification,
  type ClientCapabilities,
  type Connection,
  type FileSystemWatcher,
} from 'vscode-languageserver'
import { folderOf, uriOf } from '../editor/uri.ts'
import { projectFileName } from '../project/name.ts'

/** The watchers that a client has been asked for. */
export class Watchers {
  readonly #connection: Connection
  readonly #able: boolean
  readonly #relative: boolean
  readonly #extra = new Set<string>()

  constructor(connection: Connection, { workspace }: ClientCapabilities) {
    this.#connection = connection
    const { dynamicRegistration = false, relativePatternSupport = false } = workspace?.didChangeWatchedFiles ?? {}
    this.#able = dynamicRegistration
    this.#relative = relativePatternSupport
  }

  /** Whether the client says when files change. One that does not is taken to have changed all of them whenever it saves or opens one. */
  get able(): boolean {
    return this.#able
  }

  async start(): Promise<void> {
    if (!this.#able) return
    await this.#register([{ globPattern: '**/*.slang' }, { globPattern: `**/${projectFileName}` }])
  }

  /** Watches the files that a program asked for, also those that are not there, as far as no other watcher does. */
  async watch(paths: Iterable<string>, folders: readonly string[]): Promise<void> {
    if (!this.#able) return
    const watchers: FileSystemWatcher[] = []
    for (const path of paths) {
      // Paths with a scheme are no files, and those without a folder belong to documents that were never saved.
      if (!/^(?:\/|[a-z]:\/)/.test(path) || this.#extra.has(path)) continue
      const inside = folders.find(folder => path.startsWith(`${folder}/`))
      if (inside !== undefined && (path.endsWith('.slang') || path.endsWith(`/${projectFileName}`))) continue
      if (inside === undefined && !this.#relative) continue
      this.#extra.add(path)
      const folder = inside ?? folderOf(path)
      const pattern = path.slice(folder.length + 1).replace(/[*?[\]{}]/g, '?')
      watchers.push({ globPattern: this.#relative ? { baseUri: uriOf(folder), pattern } : `**/${pattern}` })
    }
    if (watchers.length > 0) await this.#register(watchers)
  }

  async #register(watchers: FileSystemWatcher[]): Promise<void> {
    await this.#connection.client.register(DidChangeWatchedFilesNotification.type, { watchers })
  }
}
