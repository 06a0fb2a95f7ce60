/** `cotangent/rspack`: the plugin for Rspack. */
import { plugin } from '../plugin.ts'
import type { Applied, PluginFor } from '../types.ts'

export type { PluginOptions } from '../types.ts'

/** Makes imports of `.slang` files modules. */
const rspack: PluginFor<Applied> = plugin.rspack
export default rspack
