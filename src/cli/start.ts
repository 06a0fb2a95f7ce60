/** Starts the command line: the file that the package's `bin` names. */
import * as nodeModule from 'node:module'

/**
 * Lets Node keep the compiled code of everything that is loaded from here on, where it can (22.8 and later; `NODE_COMPILE_CACHE` names another folder, and
 * `NODE_DISABLE_COMPILE_CACHE` turns it off). Node checks what it kept, and does without where its folder cannot be written.
 */
function keepCompiledCode(): void {
  const { enableCompileCache } = nodeModule as { readonly enableCompileCache?: () => unknown }
  try {
    enableCompileCache?.()
  } catch {
    // Starts are slower, and that is all.
  }
}

keepCompiledCode()
const { main } = await import('./main.ts')
await main(process.argv.slice(2))
