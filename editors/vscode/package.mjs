// Packs the extension into cotangent.vsix, or where the command line says. `npm run vsix` builds it before.
import { createVSIX } from '@vscode/vsce'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const packagePath = resolve(process.argv[2] ?? fileURLToPath(new URL('cotangent.vsix', import.meta.url)))
await createVSIX({
  cwd: fileURLToPath(new URL('.', import.meta.url)),
  packagePath,
  // All that it needs is bundled.
  dependencies: false,
  // It lies in the repository of the compiler, and its pages link to no files there.
  allowMissingRepository: true,
})
