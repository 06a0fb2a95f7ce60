/** `cotangent/rolldown`: the plugin for Rolldown. */
import { plugin } from '../plugin.ts'
import type { Named, PluginFor } from '../types.ts'

export type { PluginOptions } from '../types.ts'

/** Makes imports of `.slang` files modules. */
const rolldown: PluginFor<Named> = plugin.rolldown
export default rolldown
