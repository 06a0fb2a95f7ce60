/**
 * `llms.txt` and `llms-full.txt`, in the form of llmstxt.org: a title, a summary, and sections of links with a line each; and in one file all of that text.
 * The links lead to the pages as Markdown, which stand beside them.
 */
import { entries } from './api-entries.ts'
import { sections, type SitePage } from './navigation.ts'

const head = `# Cotangent

> Cotangent compiles the Slang shading language, with automatic differentiation, to WGSL for WebGPU and to WebAssembly and JavaScript for CPUs. It is a TypeScript library (npm: cotangent), a command line and a plugin for bundlers, without native parts and without dependencies.

Mark a function \`[Differentiable]\`; \`fwd_diff(f)\` and \`bwd_diff(f)\` are its derivatives, in Slang. From TypeScript, \`compile\` of \`cotangent\` makes a program, \`load\` of \`cotangent/cpu\` and \`attach\` of \`cotangent/gpu\` run it.
`

/** The list of pages; only those that are there. */
export function llmsIndex(isThere: (page: SitePage) => boolean): string {
  const parts = sections.map(({ title, pages, optional = false }) => {
    const rows = pages.filter(isThere).map(({ at, title, says }) => `- [${title}](${at}.md): ${says}`)
    // What is under "Optional" may be left out where a short text is wanted.
    return { title, rows, optional }
  })
  const reference = entries.map(entry => `- [${entry}](reference/${entry}.html): every symbol of \`${entry}\``)
  const section = (title: string, rows: readonly string[]): string =>
    rows.length === 0 ? '' : `\n## ${title}\n\n${rows.join('\n')}\n`
  const first = parts.filter(({ optional }) => !optional).map(({ title, rows }) => section(title, rows))
  const last = parts.filter(({ optional }) => optional).flatMap(({ rows }) => rows)
  return `${head}${first.join('')}${section('Every symbol', reference)}${section('Optional', last)}`
}

/** All pages, one after the other. */
export function llmsFull(texts: ReadonlyMap<string, string>): string {
  return `${head}\n${[...texts].map(([at, text]) => `<!-- ${at}.md -->\n\n${text.trim()}\n`).join('\n---\n\n')}`
}
