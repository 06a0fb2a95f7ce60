/** Builds the playground into `dist/playground`. It takes the package as `tools/build.mjs` left it in the root's `dist`. */
import { fileURLToPath } from 'node:url'
import { defineConfig, type UserConfig } from 'vite'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const config: UserConfig = defineConfig({
  root: at('playground'),
  base: './',
  resolve: {
    alias: [
      { find: /^cotangent$/, replacement: at('../dist/index.js') },
      { find: /^cotangent\/(cpu|gpu|lsp)$/, replacement: at('../dist/$1.js') },
    ],
  },
  worker: { format: 'es' },
  build: {
    outDir: at('dist/playground'),
    emptyOutDir: true,
    target: 'es2023',
    // The compiler is one file of this size, and loads in a worker.
    chunkSizeWarningLimit: 2500,
  },
})
export default config
