/**
 * Carries messages between the client of the editor, which speaks text, and the server, which speaks objects. Requests of the server come to
 * `answer`, for the client refuses all of them.
 */
import type { Transport } from '@codemirror/lsp-client'

/** A message of the protocol, as far as it must be known to carry it. */
interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: unknown
}

/** As much of a worker as a transport needs. */
export interface ServerWorker {
  postMessage(message: unknown): void
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void
}

/** A transport to a server. `answer` gives the result of a request of the server's; undefined refuses it. */
export function transportTo(worker: ServerWorker, answer: (method: string, params: unknown) => unknown): Transport {
  const handlers = new Set<(text: string) => void>()
  worker.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    const { id, method, params } = data
    if (id !== undefined && method !== undefined) {
      const result = answer(method, params)
      if (result !== undefined) {
        worker.postMessage({ jsonrpc: '2.0', id, result })
        return
      }
    }
    const text = JSON.stringify(data)
    for (const handler of handlers) handler(text)
  })
  return {
    send: text => worker.postMessage(JSON.parse(text)),
    subscribe: handler => void handlers.add(handler),
    unsubscribe: handler => void handlers.delete(handler),
  }
}
