/** `cotangent/farm`: the plugin for Farm. */
import { plugin } from '../plugin.ts'
import type { Named, PluginFor } from '../types.ts'

export type { PluginOptions } from '../types.ts'

/** Makes imports of `.slang` files modules. */
const farm: PluginFor<Named> = plugin.farm
export default farm
