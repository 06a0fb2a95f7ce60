/** What only Vite asks of a plugin. */
import { resolve } from 'node:path'
import type { PluginBuild } from 'esbuild'
import { requestOf } from './request.ts'

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

/** A module that Vite's development server knows. */
interface ViteModule<M> {
  readonly id: string | null
  readonly importers: ReadonlySet<M>
}

/** The modules that an edit changes. */
interface ViteUpdate<M> {
  readonly modules: readonly M[]
}

/** Vite's own hooks. */
export interface ViteHooks {
  handleHotUpdate<M extends ViteModule<M>>(update: ViteUpdate<M>): M[]
  config(this: ViteContext | void): object
  configResolved(config: ViteConfig): void
  configureServer(server: ViteServer): void
}

/** The parts of Vite's development server that count here. */
interface ViteServer {
  readonly watcher: { on(event: 'all', listener: (event: string, file: string) => void): unknown }
  readonly ws: { send(payload: { type: 'full-reload' }): void }
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
    ): Promise<{ id: string; external: 'absolute' } | null> {
      const [file = '', query] = id.split('?')
      const found = await this.resolve(file, importer, { skipSelf: true })
      return found === null
        ? null
        : { id: query === undefined ? found.id : `${found.id}?${query}`, external: 'absolute' }
    },
  },
}

/** Hooks that tell `surroundings` what Vite's configuration says. */
export function forVite(surroundings: {
  root: string
  hot: boolean
  serving: boolean
  /** Files whose change may mend a shader that no page has had yet. */
  readonly awaited: Set<string>
}): ViteHooks {
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
      surroundings.serving = command === 'serve'
      surroundings.hot = surroundings.serving && server.hmr !== false
    },
    configureServer({ watcher, ws }) {
      watcher.on('all', (_, file) => {
        if (!surroundings.awaited.has(resolve(file))) return
        surroundings.awaited.clear()
        ws.send({ type: 'full-reload' })
      })
    },
    /**
     * A file that shaders import is no module of the page: those shaders are what changes. With all of their queries: `?cpu` and `?runtime` take no
     * change by themselves, so Vite asks their importers, and loads the page anew if none does.
     */
    handleHotUpdate<M extends ViteModule<M>>({ modules }: ViteUpdate<M>): M[] {
      const isShader = ({ id }: M): boolean => id !== null && requestOf(id) !== undefined
      const changed = new Set<M>()
      for (const module of modules) {
        const importers = [...module.importers]
        for (const shader of importers.filter(isShader)) changed.add(shader)
        if (!importers.some(isShader) || !importers.every(isShader)) changed.add(module)
      }
      return [...changed]
    },
  }
}
