/** The worker of the language server. */
import { serve } from 'cotangent/lsp'

serve()
