/** What only Vite asks of a plugin. */
import type { PluginBuild } from 'esbuild'
import type { Surroundings } from './shaders.ts'

/** The parts of Vite's resolved configuration that count here. */
interface ViteConfig {
  readonly root: string
  readonly command: string
  readonly server: { readonly hmr?: unknown }
}

/** The context of a hook; Vite 8 knows its Rolldown. */
interface ViteContext {
  readonly meta?: { readonly rolldownVersion?: string }
}

/** Vite's own hooks. */
export interface ViteHooks {
  config(this: ViteContext | void): object
  configResolved(config: ViteConfig): void
}

/** A shader in a package that Vite bundles beforehand. */
const shader = /\.slang(\?|$)/

/** Leaves the imports of shaders in packages as they are: the plugin takes them when the page asks for them. */
const forEsbuild = {
  name: 'cotangent:prebundle',
  setup(build: PluginBuild): void {
    build.onResolve({ filter: shader }, async ({ path, importer, resolveDir, kind, pluginData }) => {
      if (pluginData === forEsbuild) return undefined
      const [file = '', query] = path.split('?')
      const found = await build.resolve(file, { importer, resolveDir, kind, pluginData: forEsbuild })
      if (found.errors.length > 0) return { errors: found.errors }
      return { path: query === undefined ? found.path : `${found.path}?${query}`, external: true }
    })
  },
}

/** The same for Vite 8, whose Rolldown does it. */
const forRolldown = {
  name: 'cotangent:prebundle',
  resolveId: {
    filter: { id: shader },
    async handler(
      this: { resolve(id: string, importer: string | undefined, options: object): Promise<{ id: string } | null> },
      id: string,
      importer: string | undefined,
    ): Promise<{ id: string; external: true } | null> {
      const [file = '', query] = id.split('?')
      const found = await this.resolve(file, importer, { skipSelf: true })
      return found === null ? null : { id: query === undefined ? found.id : `${found.id}?${query}`, external: true }
    },
  },
}

/** Hooks that tell `surroundings` what Vite's configuration says. */
export function forVite(surroundings: { root: string; hot: boolean } & Surroundings): ViteHooks {
  return {
    config() {
      const options =
        this?.meta?.rolldownVersion === undefined
          ? { esbuildOptions: { plugins: [forEsbuild] } }
          : { rolldownOptions: { plugins: [forRolldown] } }
      return { optimizeDeps: options }
    },
    configResolved({ root, command, server }) {
      surroundings.root = root
      surroundings.hot = command === 'serve' && server.hmr !== false
    },
  }
}
