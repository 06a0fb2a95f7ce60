/** The blocks of code of the pages. */

export interface Block {
  /** The language of a fenced block; '' for an indented one. */
  readonly kind: string
  readonly lines: readonly string[]
}

/** The blocks of code of a page. */
export function blocksOf(page: string): Block[] {
  const blocks: Block[] = []
  let open: { kind: string; lines: string[] } | undefined
  for (const line of page.split('\n')) {
    if (open !== undefined && open.kind !== '') {
      if (line === '```') open = undefined
      else open.lines.push(line)
      continue
    }
    const fence = /^```(\w+)$/.exec(line)
    if (fence !== null) blocks.push((open = { kind: fence[1]!, lines: [] }))
    else if (/^ {4}/.test(line)) {
      if (open === undefined) blocks.push((open = { kind: '', lines: [] }))
      open.lines.push(line.slice(4))
    } else open = undefined
  }
  return blocks
}

/** The name of the file that a block is. */
export function fileOf({ lines }: Block): string | undefined {
  return /^\/\/ ([\w.-]+\.\w+)$/.exec(lines[0] ?? '')?.[1]
}
