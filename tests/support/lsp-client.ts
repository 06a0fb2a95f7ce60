/** A client of the language server, over standard input and output or with a server in a worker. */
import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads'
import {
  AbstractMessageReader,
  AbstractMessageWriter,
  ConfigurationRequest,
  PublishDiagnosticsNotification,
  RegistrationRequest,
  StreamMessageReader,
  StreamMessageWriter,
  createProtocolConnection,
  type CancellationToken,
  type ClientCapabilities,
  type DataCallback,
  type Disposable,
  type InitializeParams,
  type InitializeResult,
  type Message,
  type MessageReader,
  type MessageWriter,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
  type Registration,
  type ServerCapabilities,
} from 'vscode-languageserver/node'
import { expect } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** Where servers run. */
export const places = ['stdio', 'worker'] as const

class PortReader extends AbstractMessageReader implements MessageReader {
  readonly #port: MessagePort

  constructor(port: MessagePort) {
    super()
    this.#port = port
  }

  listen(callback: DataCallback): Disposable {
    this.#port.on('message', callback)
    return { dispose: () => this.#port.off('message', callback) }
  }
}

class PortWriter extends AbstractMessageWriter implements MessageWriter {
  readonly #port: MessagePort

  constructor(port: MessagePort) {
    super()
    this.#port = port
  }

  write(message: Message): Promise<void> {
    this.#port.postMessage(message)
    return Promise.resolve()
  }

  end(): void {
    this.#port.close()
  }
}

/** What a client can do; what a test does not say is what VS Code can. */
export const capable: ClientCapabilities = {
  workspace: {
    configuration: true,
    workspaceFolders: true,
    didChangeConfiguration: { dynamicRegistration: true },
    didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true },
    codeLens: { refreshSupport: true },
    inlayHint: { refreshSupport: true },
    diagnostics: { refreshSupport: true },
  },
  textDocument: {
    publishDiagnostics: { relatedInformation: true, versionSupport: true, tagSupport: { valueSet: [1, 2] } },
    hover: { contentFormat: ['markdown', 'plaintext'] },
    completion: { completionItem: { snippetSupport: true, documentationFormat: ['markdown', 'plaintext'] } },
    signatureHelp: {
      signatureInformation: {
        documentationFormat: ['markdown', 'plaintext'],
        parameterInformation: { labelOffsetSupport: true },
      },
    },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    rename: { prepareSupport: true },
    codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix'] } } },
  },
  window: { workDoneProgress: true, showDocument: { support: true } },
}

/** How a client starts a server. */
export interface Start {
  readonly capabilities?: ClientCapabilities
  /** URIs of the folders of the workspace. */
  readonly folders?: readonly string[]
  readonly initializationOptions?: unknown
  /** The settings by section. */
  readonly settings?: Readonly<Record<string, unknown>>
}

/** A client with a server of its own. */
export class Client {
  readonly connection: ProtocolConnection
  readonly #child: ChildProcess | undefined
  readonly #worker: Worker | undefined
  /** Everything that the server said of what is wrong, in order. */
  readonly published: PublishDiagnosticsParams[] = []
  readonly registered: Registration[] = []
  readonly logged: string[] = []
  /** What the server offers. */
  capabilities: ServerCapabilities = {}
  /** The settings by section, which the server asks for. */
  settings: Readonly<Record<string, unknown>>
  #stderr = ''
  readonly ended: Promise<number | null>

  private constructor(
    reader: MessageReader,
    writer: MessageWriter,
    process: ChildProcess | Worker,
    settings: Readonly<Record<string, unknown>>,
  ) {
    this.connection = createProtocolConnection(reader, writer)
    this.settings = settings
    this.#child = process instanceof Worker ? undefined : process
    this.#worker = process instanceof Worker ? process : undefined
    this.ended = new Promise(done => process.on('exit', (code: number | null) => done(code)))
    this.#child?.stderr?.on('data', (data: Buffer) => {
      this.#stderr += data.toString()
    })
    this.connection.onNotification(PublishDiagnosticsNotification.type, params => {
      this.published.push(params)
    })
    this.connection.onNotification('window/logMessage', ({ message }: { message: string }) => {
      this.logged.push(message)
    })
    this.connection.onRequest(RegistrationRequest.type, ({ registrations }) => {
      this.registered.push(...registrations)
    })
    this.connection.onRequest(ConfigurationRequest.type, ({ items }) =>
      items.map(item => this.settings[item.section ?? ''] ?? null),
    )
    this.connection.listen()
  }

  /** A client whose server waits for `initialize`. */
  static raw(place: (typeof places)[number], settings: Readonly<Record<string, unknown>> = {}): Client {
    if (place === 'stdio') return Client.of([join(root, 'dist/cli.js'), 'lsp', '--stdio'], settings)
    const library = JSON.stringify(join(root, 'dist/lsp.js'))
    return Client.#inThread(
      `import(${library}).then(({ serve }) => serve(require('node:worker_threads').workerData))`,
      settings,
    )
  }

  /** A client of a process of Node. */
  static of(args: readonly string[], settings: Readonly<Record<string, unknown>> = {}): Client {
    const child = spawn(process.execPath, args, { stdio: 'pipe' })
    return new Client(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin), child, settings)
  }

  /** A client of a script for workers of browsers, which speak by their global. */
  static script(path: string): Client {
    const code = `
      const port = require('node:worker_threads').workerData
      Object.assign(globalThis, { postMessage: m => port.postMessage(m), addEventListener() {}, close: () => port.close() })
      Object.defineProperty(globalThis, 'onmessage', { set: listener => port.on('message', data => listener({ data })) })
      const { Script, constants } = require('node:vm')
      const options = { importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER }
      new Script(require('node:fs').readFileSync(${JSON.stringify(path)}, 'utf8'), options).runInThisContext()`
    return Client.#inThread(code, {})
  }

  static #inThread(code: string, settings: Readonly<Record<string, unknown>>): Client {
    const { port1, port2 } = new MessageChannel()
    const worker = new Worker(code, { eval: true, workerData: port2, transferList: [port2] })
    return new Client(new PortReader(port1), new PortWriter(port1), worker, settings)
  }

  /** A client and a server that have met. */
  static async start(place: (typeof places)[number], start: Start = {}): Promise<Client> {
    const client = Client.raw(place, start.settings)
    await client.initialize(start)
    return client
  }

  async initialize(start: Start = {}): Promise<InitializeResult> {
    const params: InitializeParams = {
      processId: process.pid,
      rootUri: null,
      capabilities: start.capabilities ?? capable,
      workspaceFolders: (start.folders ?? []).map(uri => ({ uri, name: uri })),
      initializationOptions: start.initializationOptions,
    }
    const result = await this.request<InitializeResult>('initialize', params)
    this.capabilities = result.capabilities
    await this.notify('initialized', {})
    return result
  }

  request<R = unknown>(method: string, params?: unknown, token?: CancellationToken): Promise<R> {
    // What is left out must not be sent as an argument.
    if (token !== undefined) return this.connection.sendRequest<R>(method, params, token)
    return params === undefined
      ? this.connection.sendRequest<R>(method)
      : this.connection.sendRequest<R>(method, params)
  }

  notify(method: string, params?: unknown): Promise<void> {
    return params === undefined
      ? this.connection.sendNotification(method)
      : this.connection.sendNotification(method, params)
  }

  /** Opens a document. */
  open(uri: string, text: string, version = 1): Promise<void> {
    return this.notify('textDocument/didOpen', { textDocument: { uri, languageId: 'slang', version, text } })
  }

  /** Replaces the whole text of a document. */
  replace(uri: string, text: string, version: number): Promise<void> {
    return this.notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] })
  }

  /** What is wrong with a document in a version, once the server says it. */
  async diagnostics(uri: string, version?: number): Promise<PublishDiagnosticsParams> {
    return await this.until(
      () => this.published.findLast(p => p.uri === uri && (version === undefined || p.version === version)),
      `diagnostics of ${uri}${version === undefined ? '' : `, version ${version}`}`,
    )
  }

  /** Waits until there is something. */
  async until<T>(find: () => T | undefined | false | Promise<T | undefined | false>, what: string): Promise<T> {
    for (const start = performance.now(); performance.now() - start < 15_000;) {
      const found = await find()
      if (found !== undefined && found !== false) return found
      await new Promise(done => setTimeout(done, 5))
    }
    throw new Error(
      `${what} did not come; the server said ${JSON.stringify([this.#stderr, this.logged, this.published])}`,
    )
  }

  /** The server's answer to a request that it refuses. */
  async refusal(method: string, params?: unknown): Promise<{ readonly code: number; readonly message: string }> {
    try {
      await this.request(method, params)
    } catch (error) {
      return error as { code: number; message: string }
    }
    throw new Error(`${method} was answered`)
  }

  /** Ends the server as the protocol has it, and gives its exit status. */
  async end(): Promise<number | null> {
    await this.request('shutdown')
    await this.notify('exit')
    const status = await this.ended
    this.connection.dispose()
    expect(this.#stderr).toBe('')
    return status
  }

  /** Ends the server whatever it does. */
  async kill(): Promise<void> {
    this.connection.dispose()
    this.#child?.kill('SIGKILL')
    await this.#worker?.terminate()
    await this.ended
  }

  /** The process of the server. */
  get child(): ChildProcess {
    return this.#child!
  }
}
