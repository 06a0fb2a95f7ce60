// How the plugin for bundlers is bundled: with unplugin, and beside the library.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const at = path => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** The entries of the package that are plugins. */
export const bundlers = [
  'vite',
  'rollup',
  'rolldown',
  'webpack',
  'rspack',
  'rsbuild',
  'esbuild',
  'bun',
  'farm',
  'unplugin',
]

/** Keeps the library, which all entries share, out of the bundle. */
const library = {
  name: 'library',
  setup(build) {
    build.onResolve({ filter: /\/index\.ts$/ }, ({ path, importer }) =>
      importer.startsWith(at('src/')) && path === '../index.ts' ? { path: '../index.js', external: true } : undefined,
    )
  },
}

const byRequire = '= __require("webpack-virtual-modules");'

/** unplugin asks for one package by `require` when webpack runs. It must be in the bundle, as nothing is installed with ours. */
const virtualModules = {
  name: 'virtual modules',
  setup(build) {
    build.onLoad({ filter: /unplugin\/dist\/index\.mjs$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      if (text.split(byRequire).length !== 2)
        throw new Error(`${path} no longer asks for webpack-virtual-modules as tools/plugin-build.mjs expects`)
      return {
        contents: `import virtualModules from 'webpack-virtual-modules'\n${text.replace(byRequire, '= virtualModules;')}`,
      }
    })
  },
}

/** The loaders of webpack and Rspack, which unplugin finds by their paths beside its own file. */
const loaders = ['webpack', 'rspack'].flatMap(name =>
  ['load', 'transform'].map(loader => [
    `${name}/loaders/${loader}`,
    at(`node_modules/unplugin/dist/${name}/loaders/${loader}.mjs`),
  ]),
)

/** Options for esbuild. */
export const pluginBuild = {
  target: 'node20',
  metafile: true,
  absWorkingDir: at('.'),
  minify: true,
  // What the plugin throws is shown with the name of its class.
  keepNames: true,
  platform: 'node',
  mainFields: ['module', 'main'],
  // unplugin looks for loaders that have this ending.
  outExtension: { '.js': '.mjs' },
  // Chunks must lie where the folders of the loaders do.
  chunkNames: '[name]-[hash]',
  plugins: [library, virtualModules],
  entryPoints: Object.fromEntries([...bundlers.map(name => [name, at(`src/plugin/entries/${name}.ts`)]), ...loaders]),
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
}
