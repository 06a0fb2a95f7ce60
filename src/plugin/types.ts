/** The types of the plugin. They name no bundler, so that no declaration of the package needs one. */
import type { ProjectOptions } from '../project/options.ts'

/** Options of the plugin, as `cotangent.json` has them, which they override. Paths are relative to the root of the bundler's project. */
export type PluginOptions = ProjectOptions

/** A plugin that has a name: of Vite, Rollup, Rolldown or Farm. */
export type Named = { name: string }

/** A plugin that has a name and sets itself up: of esbuild, Rsbuild or Bun. */
export type NamedSetup = {
  /** The bundler calls it with its build. */
  setup(build: object): void
  name: string
}

/** A plugin that applies itself to a compiler: of webpack or Rspack. */
export type Applied = {
  /** The bundler calls it with its compiler. */
  apply(compiler: object): void
}

/** Makes the plugin. Throws an error that says which option is wrong. */
export type PluginFor<P> = (options?: PluginOptions) => P
