/**
 * The Slang examples of a page, as projects of the playground.
 *
 * A block whose first line is `// name.slang` is a file of that name, and the blocks of a page may import each other. What follows the language on the
 * fence says what else a block may be; those who show Markdown ignore it:
 *
 *     ```hlsl                        a program, or a file of one: it compiles without a diagnostic
 *     ```hlsl error E30015           a program with that error; `warning E41020` the same with a warning
 *     ```hlsl fragment of a kernel   a piece that does not compile alone, and why
 */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { compile as compileSlang } from 'cotangent'
import { blocksOf, fileOf, type Block } from '../../tests/support/doc-blocks.ts'
import { projectOf, type Project, type ProjectFile } from '../playground/project/project.ts'

type Compile = typeof compileSlang

export interface Example {
  readonly block: Block
  /** The name of its file. */
  readonly name: string
  readonly kind: 'program' | 'error' | 'warning' | 'fragment'
  /** The code of an `error` or `warning`, the reason of a `fragment`, empty for a `program`. */
  readonly says: string
  /** Codes of all diagnostics of the compiler, each with its message. */
  readonly found: readonly { readonly code: string; readonly severity: string; readonly message: string }[]
  /** What the playground opens. */
  readonly project: Project
}

const folder = join(import.meta.dirname, '../playground/machine/modules')
/** The modules that the playground gives to each program. */
const modules: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(folder).map(name => [name, readFileSync(join(folder, name), 'utf8')]),
)

/** All Slang blocks of a page, compiled. */
export function examplesOf(page: string, compile: Compile): Example[] {
  const blocks = blocksOf(page).filter(({ kind }) => kind === 'hlsl' || kind === 'slang')
  const names = blocks.map(block => fileOf(block) ?? 'main.slang')
  const examples = blocks.map((block, i): Example & { readonly reads: readonly ProjectFile[] } => {
    const name = names[i]!
    const [, kind = 'program', says = ''] = /^(error|warning|fragment)(?: (.+))?$/.exec(block.info) ?? []
    const file: ProjectFile = { name, text: `${block.lines.join('\n')}\n` }
    const files = filesFor(i, blocks, names)
    const program = compile(file.text, { fileName: name, files: { ...modules, ...files } })
    const read = new Set(program.files.map(f => f.name))
    const reads = Object.entries(files)
      .filter(([other]) => read.has(other) && other !== name)
      .map(([other, text]): ProjectFile => ({ name: other, text }))
    const found = program.diagnostics.map(({ code, severity, message }) => ({ code, severity, message }))
    const project: Project = { ...projectOf(file.text, name), files: [file, ...reads] }
    return { block, name, kind: kind as Example['kind'], says, found, project, reads }
  })
  // A file that another one imports opens with it.
  return examples.map(({ reads: _, ...example }) => {
    const text = example.project.files[0]!.text
    const importer = examples.find(({ reads }) => reads.some(f => f.name === example.name && f.text === text))
    return importer === undefined ? example : { ...example, project: { ...importer.project, open: example.name } }
  })
}

/** The other files that a block may import. Of several with one name it is the last before the block, or else the next after it. */
function filesFor(index: number, blocks: readonly Block[], names: readonly string[]): Record<string, string> {
  const files: Record<string, string> = {}
  const take = (i: number): void => {
    if (fileOf(blocks[i]!) !== undefined) files[names[i]!] = `${blocks[i]!.lines.join('\n')}\n`
  }
  for (let i = blocks.length - 1; i > index; i--) take(i)
  for (let i = 0; i < index; i++) take(i)
  return files
}
