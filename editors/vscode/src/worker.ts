/** The server in a browser: a worker that serves the extension that started it. */
import { serve } from '../../../src/lsp/worker.ts'

serve()
