/** `cotangent lsp`: the language server, for an editor that started this process. */
import { serveStdio } from '../lsp/stdio.ts'
import { UsageError } from './usage.ts'

interface LspOptions {
  readonly stdio?: boolean
}

/** Serves until the client says `exit`, or is gone. */
export function lspCommand(raw: Record<string, unknown>): void {
  const options = raw as LspOptions
  if (options.stdio !== true)
    throw new UsageError(
      'an editor starts this command, as cotangent lsp --stdio: it speaks the Language Server Protocol on standard input and output; docs/editors.md shows how to set up editors',
    )
  serveStdio()
}
