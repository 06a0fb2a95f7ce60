/**
 * The language server: it is given a connection and a platform, and knows neither standard input nor workers. `documents.ts` hears what the client
 * has open, and each file of requests says what the server can do and does it.
 */
import {
  DidChangeConfigurationNotification,
  ErrorCodes,
  ExitNotification,
  ResponseError,
  TextDocumentSyncKind,
  type Connection,
  type InitializeError,
  type InitializeParams,
  type InitializeResult,
  type RequestHandler,
  type ServerCapabilities,
} from 'vscode-languageserver'
import { coreScheme, joined, pathOf } from '../editor/uri.ts'
import { version } from '../../package.json'
import { actionFeatures } from './actions.ts'
import { answering } from './answer.ts'
import { formatFeatures } from './format.ts'
import { hoverFeatures } from './hover.ts'
import { inlayFeatures } from './inlay.ts'
import { navigateFeatures } from './navigate.ts'
import { pullFeatures } from './pull.ts'
import { completeFeatures } from './complete.ts'
import { derivativeFeatures } from './derivative.ts'
import { hearDocuments } from './documents.ts'
import { listOf, object, optional, text } from './params.ts'
import type { Platform } from './platform.ts'
import { Session } from './session.ts'
import { readSettings } from './settings.ts'
import { signatureFeatures } from './signature.ts'
import { tokenFeatures } from './tokens.ts'
import { turn } from './turn.ts'
import { verdictFeatures } from './verdicts.ts'

/** Requests by what they are about: each says what of the protocol it offers. */
const features: readonly ((session: Session) => ServerCapabilities)[] = [
  pullFeatures,
  hoverFeatures,
  completeFeatures,
  signatureFeatures,
  navigateFeatures,
  tokenFeatures,
  formatFeatures,
  actionFeatures,
  inlayFeatures,
  derivativeFeatures,
  verdictFeatures,
]

/** What `initialize` must hold, so that nothing has begun where it does not. */
const initializing = object({
  capabilities: object({}),
  rootUri: optional(text),
  workspaceFolders: optional(listOf(object({ uri: text }))),
})

/** Serves a client. The connection must not listen yet; it does when this returns. */
export function serve(connection: Connection, platform: Platform): void {
  const session = new Session(connection, platform)
  const offered = Object.assign({}, ...features.map(offer => offer(session))) as ServerCapabilities
  const lifecycle = new Lifecycle(session, offered)
  const initialize = answering('initialize', initializing, session.log.error, (params: InitializeParams) =>
    lifecycle.initialize(params),
  )
  connection.onInitialize(initialize as RequestHandler<InitializeParams, InitializeResult, InitializeError>)
  connection.onInitialized(() => lifecycle.initialized())
  connection.onShutdown(() => lifecycle.shutdown())
  // In place of the library's own, which loses the answer to a `shutdown` right before.
  connection.onNotification(ExitNotification.type, async () => {
    await turn()
    platform.exit(session.state === 'shut' ? 0 : 1)
  })
  session.hear(
    DidChangeConfigurationNotification.type,
    () => {},
    ({ settings }) => lifecycle.configured(settings),
  )
  session.foldersChanged = () => void lifecycle.configured(undefined)
  connection.listen()
}

class Lifecycle {
  readonly #session: Session
  readonly #offered: ServerCapabilities
  /** What the client said last of settings, for one that cannot be asked. */
  #said: unknown

  constructor(session: Session, offered: ServerCapabilities) {
    this.#session = session
    this.#offered = offered
  }

  initialize(params: InitializeParams): InitializeResult | ResponseError<InitializeError> {
    const session = this.#session
    if (session.state !== 'new')
      return new ResponseError(ErrorCodes.InvalidRequest, 'initialize came twice', { retry: false })
    const { capabilities, workspaceFolders, rootUri, initializationOptions } = params
    session.met(capabilities)
    // Not before: the library has listeners of its own, which would take the place of these.
    hearDocuments(session)
    session.folders = workspaceFolders?.map(f => f.uri) ?? (typeof rootUri === 'string' ? [rootUri] : [])
    session.workspace.configure({ folders: session.folders })
    this.#said = initializationOptions
    this.#apply(sectionsOf(this.#said))
    session.state = 'open'
    return {
      serverInfo: { name: 'cotangent', version },
      capabilities: {
        // The protocol's default; columns of the compiler count the same units.
        positionEncoding: 'utf-16',
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: { includeText: false } },
        workspace: {
          workspaceFolders: { supported: true, changeNotifications: true },
          textDocumentContent: { schemes: [coreScheme] },
        },
        ...this.#offered,
      },
    }
  }

  async initialized(): Promise<void> {
    const { connection, client, watchers, log } = this.#session
    try {
      if (client.workspace?.didChangeConfiguration?.dynamicRegistration === true)
        await connection.client.register(DidChangeConfigurationNotification.type, { section: ['cotangent', 'slang'] })
      await watchers.start()
    } catch (cause) {
      log.warn(`the client registers nothing: ${String(cause)}`)
    }
    await this.configured(undefined)
  }

  shutdown(): void {
    this.#session.state = 'shut'
    this.#session.publisher.stop()
    this.#session.platform.checker.stop()
  }

  /** Settings may be others: the client is asked for them, or has just said them. */
  async configured(settings: unknown): Promise<void> {
    const { connection, client, log } = this.#session
    if (settings !== undefined && settings !== null) this.#said = settings
    let sections = sectionsOf(this.#said)
    if (client.workspace?.configuration === true) {
      try {
        const [cotangent, slang] = (await connection.workspace.getConfiguration([
          { section: 'cotangent' },
          { section: 'slang' },
        ])) as [unknown, unknown]
        sections = { cotangent: cotangent ?? sections.cotangent, slang: slang ?? sections.slang }
      } catch (cause) {
        log.warn(`the client does not say its settings: ${String(cause)}`)
      }
    }
    // The client may have said `shutdown` before it answered.
    if (this.#session.state === 'open') this.#apply(sections)
  }

  #apply(sections: Sections): void {
    const { workspace, log, publisher } = this.#session
    const settings = (this.#session.settings = readSettings(sections, log.warn))
    log.level = settings.trace
    const folders = this.#session.folders.map(pathOf)
    const searchPaths = settings.searchPaths.flatMap(path =>
      folders.length === 0 ? [path] : folders.map(folder => joined(folder, path)),
    )
    workspace.configure({ settings: { searchPaths: [...new Set(searchPaths)], defines: settings.defines } })
    publisher.changed()
    for (const changed of this.#session.settingsChanged) changed()
  }
}

interface Sections {
  readonly cotangent?: unknown
  readonly slang?: unknown
}

/** The sections in what a client said: `{ "cotangent": { … } }`, or the settings of that section alone. */
function sectionsOf(said: unknown): Sections {
  if (typeof said !== 'object' || said === null) return {}
  return 'cotangent' in said || 'slang' in said ? said : { cotangent: said }
}
