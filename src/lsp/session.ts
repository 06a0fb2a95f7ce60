/** What all requests of one client share. */
import {
  ErrorCodes,
  ResponseError,
  type CancellationToken,
  type ClientCapabilities,
  type Connection,
  type ProtocolNotificationType,
  type ProtocolRequestType,
  type ProtocolRequestType0,
} from 'vscode-languageserver'
import type { Analysis } from '../editor/analysis.ts'
import type { EditorProgram } from '../editor/derivative/subject.ts'
import { pathOf } from '../editor/uri.ts'
import { Workspace } from '../editor/workspace.ts'
import { answering, hearing } from './answer.ts'
import { Cancelled, Refused } from './errors.ts'
import { SentFiles } from './files.ts'
import { Log } from './log.ts'
import type { Shape } from './params.ts'
import type { Platform } from './platform.ts'
import { inSlices, Publisher } from './publish.ts'
import { defaults, type Settings } from './settings.ts'
import { shownBy, type Shown } from './told.ts'
import { Watchers } from './watch.ts'

/** What a handler gives: a value of the protocol, which it does not change any more. */
export type Given<T> = T extends readonly (infer E)[]
  ? readonly Given<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Given<T[K]> }
    : T

/** One client, from `initialize` to `exit`. */
export class Session {
  readonly connection: Connection
  readonly platform: Platform
  readonly log: Log
  readonly files: SentFiles
  readonly workspace: Workspace
  readonly publisher: Publisher
  settings: Settings = defaults
  /** The folders of the workspace. */
  folders: readonly string[] = []
  client: ClientCapabilities = {}
  shown: Shown = shownBy({})
  watchers: Watchers
  /** Between `initialize` and `shutdown` requests are answered. */
  state: 'new' | 'open' | 'shut' = 'new'
  /** Called when the folders of the workspace are others than before. */
  foldersChanged: () => void = () => {}
  /** Called with the URI of each document that is closed. */
  readonly closed: ((uri: string) => void)[] = []
  /** Called when settings are others than before. */
  readonly settingsChanged: (() => void)[] = []

  constructor(connection: Connection, platform: Platform) {
    this.connection = connection
    this.platform = platform
    this.log = new Log(connection)
    this.files = new SentFiles(platform.files)
    this.workspace = new Workspace(this.files)
    this.watchers = new Watchers(connection, {})
    const told = (): Shown => this.shown
    this.publisher = new Publisher(this.workspace, {
      get shown() {
        return told()
      },
      send: params => {
        this.log.trace(`→ ${params.uri}: ${params.diagnostics.length} diagnostics`, () => `version ${params.version}`)
        void connection.sendDiagnostics(params)
      },
      failed: (uri, cause) => this.log.bug(`diagnostics of ${uri}`, cause),
      checked: ({ inputs, faults }) => {
        void this.watchers.watch(inputs.keys(), this.folders.map(pathOf))
        for (const fault of faults) this.log.fault(fault)
      },
    })
  }

  /** Learns what a client can do. */
  met(client: ClientCapabilities): void {
    this.client = client
    this.shown = shownBy(client)
    this.watchers = new Watchers(this.connection, client)
  }

  /** The URI of a file of a program. */
  uriOf(path: string): string {
    return this.workspace.uri(path)
  }

  readonly #programs = new WeakMap<Analysis, EditorProgram>()

  /** The program that an open document is part of, checked, and what the document is called there. */
  program(uri: string): { readonly program: EditorProgram; readonly path: string } {
    const analysis = this.workspace.analysis(uri)
    if (analysis === undefined) throw new Refused(`${uri} is not open`)
    const path = pathOf(uri)
    const known = this.#programs.get(analysis)
    if (known !== undefined) return { program: known, path }
    const { checked, diagnostics, options } = analysis
    const program = { checked, diagnostics, options: { maxContext: options.maxContext } }
    this.#programs.set(analysis, program)
    return { program, path }
  }

  /**
   * The same once all of it is checked, which is done in slices between which other requests are answered. Rejects with `Cancelled` where the request
   * is cancelled or the program has changed meanwhile.
   */
  async wholeProgram(uri: string, token: CancellationToken): Promise<ReturnType<Session['program']>> {
    const analysis = this.workspace.analysis(uri)
    const isOld = (): boolean => token.isCancellationRequested || this.workspace.analysis(uri) !== analysis
    if (analysis !== undefined) await inSlices(analysis.checkAll(), isOld)
    if (isOld()) throw new Cancelled()
    return this.program(uri)
  }

  /** Asks a client to ask again for what it shows, where it can: never before `initialize` was answered, which no request may go before. */
  refresh(type: ProtocolRequestType0<void, unknown, unknown, unknown>, isSupported: boolean | undefined): void {
    if (this.state !== 'open' || isSupported !== true) return
    this.connection.sendRequest(type).catch(() => {
      // A client that is about to end answers nothing.
    })
  }

  /** Answers a request, whose parameters have a shape. */
  answer<P, R>(
    { method }: ProtocolRequestType<P, R, unknown, unknown, unknown>,
    shape: Shape,
    handler: (params: P, token: CancellationToken) => Given<R> | Promise<Given<R>>,
  ): void {
    const answer = answering(method, shape, this.log.error, handler)
    this.connection.onRequest(method, async (params: P, token: CancellationToken): Promise<unknown> => {
      if (this.state === 'new')
        return new ResponseError(ErrorCodes.ServerNotInitialized, `${method} came before initialize`)
      if (this.state === 'shut') return new ResponseError(ErrorCodes.InvalidRequest, `${method} came after shutdown`)
      const start = performance.now()
      const answered = await answer(params, token)
      this.log.trace(`${method}: ${(performance.now() - start).toFixed(1)} ms`, () => JSON.stringify(params))
      return answered
    })
  }

  /** Hears notifications. */
  hear<P>(
    { method }: ProtocolNotificationType<P, unknown>,
    shape: Shape,
    handler: (params: P) => void | Promise<void>,
  ): void {
    const hear = hearing(method, shape, this.log.warn, handler)
    this.connection.onNotification(method, async (params: P) => {
      if (this.state !== 'open') return
      this.log.trace(method, () => JSON.stringify(params))
      await hear(params)
    })
  }
}
