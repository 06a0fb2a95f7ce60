/** How VitePress makes the pages that `assemble.ts` has written. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { defineConfig, type DefaultTheme } from 'vitepress'
import { entries } from '../api-entries.ts'
import { codeBlocks } from '../code-blocks.ts'
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

// No group folds: the button that folds one holds another, which screen readers do not reach.
const sidebar: DefaultTheme.SidebarItem[] = [
  ...sections.map(({ title, pages }) => ({
    text: title,
    items: pages.filter(({ at }) => isThere(at)).map(({ at, title }) => ({ text: title, link: `/${at}` })),
  })),
  { text: 'Every symbol', items: entries.map(entry => ({ text: entry, link: `/reference/${entry}` })) },
]

/** What a page may load: what stands beside it. The style attributes and the first script are VitePress's own. */
const policy = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'",
  "worker-src 'self' blob:",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
].join('; ')
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M2 13C6 13 7 3 14 3' fill='none' stroke='%234b7bec' stroke-width='2'/%3E%3C/svg%3E"

const at = (path: string): string => join(root, path)

export default defineConfig({
  lang: 'en',
  title: 'Cotangent',
  description: 'The Slang shading language with automatic differentiation, for WebGPU, WebAssembly and JavaScript',
  base: process.env['SITE_BASE'] ?? '/',
  srcDir: '.assembled',
  srcExclude: ['public/**'],
  outDir: '../dist',
  cacheDir: '../node_modules/.vitepress',
  // Addresses end in `.html`, so that every static host serves them.
  cleanUrls: false,
  ignoreDeadLinks: [/^\/playground\//],
  head: [
    ['meta', { 'http-equiv': 'Content-Security-Policy', content: policy }],
    ['link', { rel: 'icon', href: icon }],
  ],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // The text of the IR has no colours.
    languages: [grammar as never, { name: 'ir', scopeName: 'source.ir', patterns: [], repository: {} } as never],
    anchor: { slugify: slug },
    toc: { slugify: slug },
    headers: { slugify: slug },
    config: codeBlocks,
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: { miniSearch: { searchOptions: { combineWith: 'AND', fuzzy: 0.1, prefix: true } } },
    },
    sidebar,
    outline: [2, 3],
    nav: [
      { text: 'Quick start', link: '/quick-start' },
      { text: 'Playground', link: '/playground/', target: '_self' },
      { text: 'Library', link: '/api' },
    ].filter(({ link }) => link === '/playground/' || isThere(link)),
    notFound: {
      title: 'There is no page here',
      quote: 'The address may have a mistake, or the page may have moved. The search knows every page.',
      linkLabel: 'To the first page',
      linkText: 'To the first page',
    },
    footer: { message: 'Nothing that you type into these pages leaves your browser.' },
  },
  vite: {
    resolve: {
      alias: [
        { find: /^cotangent$/, replacement: at('dist/index.js') },
        { find: /^cotangent\/(cpu|gpu|lsp)$/, replacement: at('dist/$1.js') },
      ],
    },
    worker: { format: 'es' },
    // The compiler is one file of this size, and loads in a worker.
    build: { chunkSizeWarningLimit: 2500 },
  },
})
