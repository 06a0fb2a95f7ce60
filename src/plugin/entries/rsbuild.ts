/** `cotangent/rsbuild`: the plugin for Rsbuild. */
import { plugin } from '../plugin.ts'
import type { NamedSetup, PluginFor } from '../types.ts'

export type { PluginOptions } from '../types.ts'

/** Makes imports of `.slang` files modules. */
const rsbuild: PluginFor<NamedSetup> = plugin.rsbuild
export default rsbuild
