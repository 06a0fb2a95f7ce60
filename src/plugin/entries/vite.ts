/** `cotangent/vite`: the plugin for Vite. */
import { plugin } from '../plugin.ts'
import type { Named, PluginFor } from '../types.ts'

export type { PluginOptions } from '../types.ts'

/** Makes imports of `.slang` files modules. */
const vite: PluginFor<Named> = plugin.vite
export default vite
