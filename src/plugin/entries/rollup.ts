/** `cotangent/rollup`: the plugin for Rollup. */
import { plugin } from '../plugin.ts'
import type { Named, PluginFor } from '../types.ts'

export type { PluginOptions } from '../types.ts'

/** Makes imports of `.slang` files modules. */
const rollup: PluginFor<Named> = plugin.rollup
export default rollup
