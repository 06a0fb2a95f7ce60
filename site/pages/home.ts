/** What the home page shows beside its function: the derivative, as the compiler makes it. */
import { derivativeAt } from '../../src/editor/derivative/document.ts'
import { editorProgram, fileName, placeOf } from '../../tests/support/editor-program.ts'
import { blocksOf } from '../../tests/support/doc-blocks.ts'

/** Puts the reverse derivative, as WGSL, where the page says `<!-- reverse: name -->`. */
export function withDerivatives(page: string): string {
  const source = blocksOf(page)
    .filter(({ kind }) => kind === 'hlsl')
    .map(({ lines }) => lines.join('\n'))
    .join('\n')
  return page.replace(/^<!-- reverse: (\w+) -->$/gm, (_, name: string) => {
    const position = placeOf(source, `${name}(`)
    const made = derivativeAt(editorProgram(source), fileName, { position, mode: 'reverse', as: 'wgsl' })
    if ('refused' in made) throw new Error(`the home page asks for the derivative of ${name}: ${made.refused}`)
    // The source stands beside it, under another name than here.
    const text = made.text.replace(/^\/\/ \S+:\d+\n/gm, '').trim()
    return `\`\`\`wgsl\n${text}\n\`\`\``
  })
}
