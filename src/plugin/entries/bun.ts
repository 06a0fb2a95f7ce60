/** `cotangent/bun`: the plugin for Bun's bundler. */
import { plugin } from '../plugin.ts'
import type { NamedSetup, PluginFor } from '../types.ts'

export type { PluginOptions } from '../types.ts'

/** Makes imports of `.slang` files modules. */
const bun: PluginFor<NamedSetup> = plugin.bun
export default bun
