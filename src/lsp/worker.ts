/**
 * `cotangent/lsp`: the language server for a worker, or for a page.
 *
 * @module
 */
import { BrowserMessageReader, BrowserMessageWriter, createConnection } from 'vscode-languageserver/browser'
import { dropped } from './answer.ts'
import { HelpedChecker } from './check.ts'
import { NestedHelper } from './nested.ts'
import { SlicedHelper } from './sliced.ts'
import { serve as serveConnection } from './server.ts'

/** What messages go through: the global of a worker, or one end of a `MessageChannel`. */
export interface Port {
  /** Sends a message to the other end. */
  postMessage(message: unknown): void
  /** Takes the messages of the other end. */
  onmessage: ((event: MessageEvent) => unknown) | null
  /** Hears of errors of the other end. */
  addEventListener(type: 'error', listener: (event: Event) => void): void
  /** Ends the worker, or the channel. */
  close(): void
}

/**
 * Serves the client at the other end of a port: by default, the one that started this worker. Messages are the objects of the Language Server
 * Protocol, not their text.
 */
export function serve(port: Port = globalThis): void {
  const own = port as unknown as MessagePort
  const connection = createConnection(new BrowserMessageReader(own), new BrowserMessageWriter(own), {
    connectionStrategy: { cancelUndispatched: dropped },
  })
  // There are no files but those that the client has open, or sends.
  serveConnection(connection, {
    files: { read: () => undefined },
    checker: new HelpedChecker(
      () => new NestedHelper(),
      () => new SlicedHelper(),
    ),
    exit: () => {
      port.close()
    },
  })
}
