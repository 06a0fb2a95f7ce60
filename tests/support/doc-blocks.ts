/** The blocks of code of the pages. */

export interface Block {
  /** The language of a fenced block; '' for an indented one. */
  readonly kind: string
  /** What follows the language on the fence: `error E30015` of ```` ```hlsl error E30015 ````. Those who show Markdown ignore it. */
  readonly info: string
  readonly lines: readonly string[]
  /** The line of the page, from 0, that ends a fenced block. */
  readonly end: number
}

/** The blocks of code of a page. */
export function blocksOf(page: string): Block[] {
  const blocks: Block[] = []
  let open: { kind: string; info: string; lines: string[]; end: number } | undefined
  for (const [at, line] of page.split('\n').entries()) {
    if (open !== undefined && open.kind !== '') {
      if (line === '```') {
        open.end = at
        open = undefined
      } else open.lines.push(line)
      continue
    }
    const fence = /^```(\w+)(?: (.+))?$/.exec(line)
    if (fence !== null) blocks.push((open = { kind: fence[1]!, info: fence[2] ?? '', lines: [], end: at }))
    else if (/^ {4}/.test(line)) {
      if (open === undefined) blocks.push((open = { kind: '', info: '', lines: [], end: at }))
      open.lines.push(line.slice(4))
    } else open = undefined
  }
  return blocks
}

/** The name of the file that a block is. */
export function fileOf({ lines }: Block): string | undefined {
  const [first = ''] = lines
  return (/^\/\/ ([\w.-]+\.\w+)$/.exec(first) ?? /^<!-- ([\w.-]+\.html) -->$/.exec(first))?.[1]
}

/** What a page says that a command prints, as a pattern: `…` on a line of its own is any lines. Blanks at the ends of lines do not count. */
export function pattern(lines: readonly string[]): RegExp {
  const parts = lines.map(line =>
    line.trim() === '…' ? '(?:[^]*\n)?' : `${line.trimEnd().replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}\n`,
  )
  return new RegExp(`^${parts.join('')}$`)
}
