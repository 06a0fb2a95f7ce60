// Tables of what was measured, as Markdown.
export const row = (...cells) => console.log(`| ${cells.join(' | ')} |`)

/** The head of a table: the first column holds names, the others hold numbers. */
export function table(...head) {
  row(...head)
  row(...head.map((_, i) => (i === 0 ? '---' : '--:')))
}

/** The geometric mean. */
export const mean = list => Math.exp(list.reduce((s, x) => s + Math.log(x), 0) / list.length)
