/** Starts the command line: the file that the package's `bin` names. */
import { existsSync, mkdirSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Lets Node keep the compiled code of everything that is loaded from here on, where it can (22.8 and later; `NODE_COMPILE_CACHE` names another folder, and
 * `NODE_DISABLE_COMPILE_CACHE` turns it off). Node checks what it kept. Where there is no folder for it, starts are slower, and that is all.
 */
function keepCompiledCode(): void {
  const { enableCompileCache } = nodeModule as { readonly enableCompileCache?: (folder: string) => unknown }
  if (enableCompileCache === undefined) return
  try {
    // Where Node would keep it by itself. Made here, since Node tries for ever to make a folder in some places, /proc for one.
    const folder = join(tmpdir(), 'node-compile-cache')
    if (!existsSync(folder)) mkdirSync(folder)
    enableCompileCache(folder)
  } catch {
    // There is no folder.
  }
}

keepCompiledCode()
const { main } = await import('./main.ts')
await main(process.argv.slice(2))
