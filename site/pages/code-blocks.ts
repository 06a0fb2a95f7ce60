/** How the site shows blocks of code, beyond what VitePress does. */
import type { MarkdownRenderer } from 'vitepress'

export function codeBlocks(md: MarkdownRenderer): void {
  const fence = md.renderer.rules.fence!
  // Indented blocks look like fenced ones.
  md.renderer.rules.code_block = (tokens, i, options, env, self) => {
    tokens[i]!.info = 'text'
    return fence(tokens, i, options, env, self)
  }
  // The lines of a page that shows a file can be linked to.
  md.renderer.rules.fence = (tokens, i, options, env: { frontmatter?: { lines?: boolean } }, self) => {
    // Markdown elsewhere colours Slang as HLSL; its name is Slang. A label that says no more than "text" is left out.
    const html = fence(tokens, i, options, env, self)
      .replace('<span class="lang">hlsl</span>', '<span class="lang">slang</span>')
      .replace('<span class="lang">text</span>', '<span class="lang"></span>')
    if (env.frontmatter?.lines !== true) return html
    let line = 0
    return html.replaceAll('<span class="line">', () => `<span class="line" id="L${++line}">`)
  }
}
