/** How VitePress makes the pages that `assemble.ts` has written. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { defineConfig, type DefaultTheme } from 'vitepress'
import { sections } from '../navigation.ts'
import { slug } from '../slug.ts'

const folder = join(import.meta.dirname, '..')
const root = join(folder, '../..')
const isThere = (path: string): boolean => existsSync(join(folder, '.assembled', `${path}.md`))

/** The grammar of the editors, which pages use for `hlsl` blocks too. */
const grammar = {
  ...(JSON.parse(readFileSync(join(root, 'editors/vscode/syntaxes/slang.tmLanguage.json'), 'utf8')) as object),
  name: 'slang',
  aliases: ['hlsl'],
}

const sidebar: DefaultTheme.SidebarItem[] = sections.map(({ title, pages, closed }) => ({
  text: title,
  collapsed: closed ?? false,
  items: pages.filter(({ at }) => isThere(at)).map(({ at, title }) => ({ text: title, link: `/${at}` })),
}))

export default defineConfig({
  lang: 'en',
  title: 'Cotangent',
  description: 'The Slang shading language with automatic differentiation, for WebGPU, WebAssembly and JavaScript',
  base: process.env.SITE_BASE ?? '/',
  srcDir: '.assembled',
  outDir: '../dist',
  cacheDir: '../node_modules/.vitepress',
  // Written into the pages' own addresses, so that every static host serves them.
  cleanUrls: false,
  ignoreDeadLinks: [/^\/playground\//],
  vite: {
    resolve: { alias: [{ find: /^cotangent$/, replacement: join(root, 'dist/index.js') }] },
    worker: { format: 'es' },
    // The compiler is one file of this size, and loads in a worker.
    build: { chunkSizeWarningLimit: 2500 },
  },
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // The text of the IR has no colours.
    languages: [grammar as never, { name: 'ir', scopeName: 'source.ir', patterns: [], repository: {} } as never],
    anchor: { slugify: slug },
    toc: { slugify: slug },
    headers: { slugify: slug },
  },
  themeConfig: {
    search: { provider: 'local' },
    sidebar,
    outline: [2, 3],
    nav: [
      { text: 'Quick start', link: '/quick-start' },
      { text: 'Playground', link: '/playground/', target: '_self' },
      { text: 'API', link: '/api' },
    ].filter(({ link }) => link === '/playground/' || isThere(link)),
  },
})
