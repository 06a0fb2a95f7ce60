/** How a request is answered: by a result, or by an error that says what to do. Nothing that a handler throws ends the server. */
import {
  type CancellationToken,
  ErrorCodes,
  LSPErrorCodes,
  ResponseError,
  type Message,
  type RequestMessage,
  type ResponseMessage,
} from 'vscode-languageserver'
import { InternalError } from '../base/diag.ts'
import { Cancelled, Refused } from './errors.ts'
import type { Shape } from './params.ts'

/** Where to report a bug. */
const report = 'This is a bug in Cotangent. Please report it with the program that shows it'

/** What a client is told of an exception. */
export function errorOf(method: string, cause: unknown): ResponseError<unknown> {
  if (cause instanceof ResponseError) return cause
  if (cause instanceof Cancelled) return new ResponseError(LSPErrorCodes.RequestCancelled, cause.message)
  if (cause instanceof Refused) return new ResponseError(LSPErrorCodes.RequestFailed, cause.message, cause.data)
  return new ResponseError(ErrorCodes.InternalError, `${method}: ${saidOf(cause)}. ${report}.`)
}

/** The message of an exception that is a bug, with the pass of the compiler where that is known. */
export function saidOf(cause: unknown): string {
  if (cause instanceof InternalError) return cause.message
  const message = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
  return `internal error in lsp: ${message}`
}

/** Notifies of the exceptions that are bugs. */
export type Logger = (message: string) => void

/**
 * A handler that checks what it gets, does nothing once its request is cancelled, and answers exceptions with errors. `log` hears of bugs, with
 * the stack.
 */
export function answering<P, R>(
  method: string,
  shape: Shape,
  log: Logger,
  handler: (params: P, token: CancellationToken) => R | Promise<R>,
): (params: P, token: CancellationToken) => Promise<R | ResponseError<unknown>> {
  return async (params, token) => {
    try {
      if (token.isCancellationRequested) throw new Cancelled()
      shape(params, 'params')
      return await handler(params, token)
    } catch (cause) {
      const error = errorOf(method, cause)
      if (error.code === ErrorCodes.InternalError) log(`${error.message}\n${(cause as Error | undefined)?.stack ?? ''}`)
      return error
    }
  }
}

/** A handler of notifications likewise: nobody waits for an answer, so `log` hears of all that is wrong. */
export function hearing<P>(
  method: string,
  shape: Shape,
  log: Logger,
  handler: (params: P) => void | Promise<void>,
): (params: P) => Promise<void> {
  return async params => {
    try {
      shape(params, 'params')
      await handler(params)
    } catch (cause) {
      const { message } = errorOf(method, cause)
      log(cause instanceof ResponseError ? `${method}: ${message}` : `${message}\n${(cause as Error).stack ?? ''}`)
    }
  }
}

/** The answer to a request that was cancelled before its turn came. */
export function dropped(request: Message): ResponseMessage {
  const { code, message } = errorOf('', new Cancelled())
  return { jsonrpc: '2.0', id: (request as RequestMessage).id, error: { code, message } }
}
