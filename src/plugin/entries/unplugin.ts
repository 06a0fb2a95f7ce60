/** `cotangent/unplugin`: the plugin for each bundler by name. */
import { plugin } from '../plugin.ts'
import type { Applied, Named, NamedSetup, PluginFor } from '../types.ts'

export type { PluginOptions } from '../types.ts'

/** Makes imports of `.slang` files modules. */
const unplugin: {
  readonly vite: PluginFor<Named>
  readonly rollup: PluginFor<Named>
  readonly rolldown: PluginFor<Named>
  readonly webpack: PluginFor<Applied>
  readonly rspack: PluginFor<Applied>
  readonly rsbuild: PluginFor<NamedSetup>
  readonly esbuild: PluginFor<NamedSetup>
  readonly bun: PluginFor<NamedSetup>
  readonly farm: PluginFor<Named>
} = plugin
export default unplugin
