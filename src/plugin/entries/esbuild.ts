/** `cotangent/esbuild`: the plugin for esbuild. */
import { plugin } from '../plugin.ts'
import type { NamedSetup, PluginFor } from '../types.ts'

export type { PluginOptions } from '../types.ts'

/** Makes imports of `.slang` files modules. */
const esbuild: PluginFor<NamedSetup> = plugin.esbuild
export default esbuild
