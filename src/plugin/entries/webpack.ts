/** `cotangent/webpack`: the plugin for webpack. */
import { plugin } from '../plugin.ts'
import type { Applied, PluginFor } from '../types.ts'

export type { PluginOptions } from '../types.ts'

/** Makes imports of `.slang` files modules. */
const webpack: PluginFor<Applied> = plugin.webpack
export default webpack
