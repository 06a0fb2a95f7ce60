/**
 * The pages say what is: their programs are run, and what they print is compared with what stands below them.
 *
 * A block of code whose first line is `// name.ext` is a file. All files of a page lie in one folder. The commands of a page, `cotangent …` and
 * `node …`, run there: those of `sh` blocks print the `text` block that follows, and those of indented blocks, after `$ `, the lines below
 * them. A line that is only `…` stands for any lines.
 */
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import * as cpu from '../../src/cpu/index.ts'
import * as gpu from '../../src/gpu/index.ts'
import * as index from '../../src/index.ts'
import * as wgsl from '../../src/wgsl.ts'
import { blocksOf, fileOf, pattern, type Block } from '../support/doc-blocks.ts'
import { gpuEnv } from '../../tools/gpu-env.mjs'

const root = join(import.meta.dirname, '../..')
const text = (path: string): string => readFileSync(join(root, path), 'utf8')
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map(path => path.replaceAll('\\', '/'))
  .filter(path => !/(^|\/)(\.git|node_modules|dist|out|\.assembled|\.temp)\//.test(path))
const pages = files.filter(path => path.endsWith('.md')).sort()

const made = mkdtempSync(join(tmpdir(), 'docs-'))
afterAll(() => rmSync(made, { recursive: true }))

interface Command {
  readonly text: string
  readonly printed: readonly string[]
}

/** The commands of a page, each with what it prints. */
function commandsOf(blocks: readonly Block[]): Command[] {
  return blocks.flatMap((block, i): Command[] => {
    if (block.kind === 'sh') {
      const next = blocks[i + 1]
      if (next?.kind !== 'text') return []
      return block.lines.map((text, k) => ({ text, printed: k === block.lines.length - 1 ? next.lines : ['…'] }))
    }
    if (block.kind !== '' || block.lines[0]?.startsWith('$ ') !== true) return []
    const commands: { text: string; printed: string[] }[] = []
    for (const line of block.lines) {
      if (line.startsWith('$ ')) commands.push({ text: line.slice(2), printed: [] })
      else commands.at(-1)!.printed.push(line)
    }
    return commands
  })
}

const cli = join(root, 'dist/cli.js')

/** What a command prints, on both streams. */
function printed(folder: string, { text }: Command): string[] {
  const words = [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c!)
  const own = words.slice(words[0] === 'npx' ? 1 : 0)
  if (own[0] !== 'cotangent' && own[0] !== 'node') throw new Error(`${text}: only cotangent and node are run`)
  const args = own[0] === 'node' ? own.slice(1) : [cli, ...own.slice(1)]
  const said = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', timeout: 60_000, env: gpuEnv() })
  return `${said.stdout}${said.stderr}`.trimEnd().split('\n')
}

describe('docs/api.md', () => {
  const page = text('docs/api.md')
  /** Every name in code. */
  const named = new Set([...page.matchAll(/```[^]*?```|`[^`]*`/g)].flatMap(([code]) => code.match(/\w+/g) ?? []))
  const lacks = (names: Iterable<string>): string[] => [...names].filter(name => !named.has(name))

  it('names all that the entries of the package export', () => {
    expect([index, wgsl, cpu, gpu].flatMap(entry => lacks(Object.keys(entry)))).toEqual([])
  })

  it('names all members of a program', () => {
    const hidden = ['src/index.ts', 'src/program.ts'].flatMap(file =>
      [...text(file).matchAll(/^ {2}protected (?:override )?(\w+)/gm)].map(([, name]) => name!),
    )
    const program = index.compile('')
    const members = [index.Program.prototype, Object.getPrototypeOf(index.Program.prototype) as object, program]
      .flatMap(object => Object.getOwnPropertyNames(object))
      .filter(name => name !== 'constructor' && !hidden.includes(name))
    expect(members.length).toBeGreaterThan(12)
    expect(lacks(members)).toEqual([])
  })

  it('lists the options of compile', () => {
    const options = (file: string, name: string): string[] => {
      const body = text(file).split(`export interface ${name} `)[1]!.split('\n}')[0]!
      return [...body.matchAll(/^ {2}readonly (\w+)\?:/gm)].map(([, option]) => option!)
    }
    const listed = [...page.matchAll(/^\| `(\w+)` \|.*\|.*\|$/gm)].map(([, name]) => name!)
    expect(listed.toSorted()).toEqual(
      [...options('src/front.ts', 'FrontOptions'), ...options('src/program.ts', 'CompileOptions')].toSorted(),
    )
  })
})

describe('pages', () => {
  it.each(pages)('%s links to what is there', path => {
    const page = text(path)
    const missing: string[] = []
    for (const [, target = ''] of page.replace(/```[^]*?```|`[^`]*`/g, '``').matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue
      const [file = '', anchor] = target.split('#')
      const at = file === '' ? join(root, path) : join(root, dirname(path), file)
      if (!existsSync(at)) missing.push(target)
      else if (anchor !== undefined && at.endsWith('.md')) {
        const anchors = [...readFileSync(at, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
          title
            .toLowerCase()
            .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
            .replace(/[^\p{L}\p{N}\s-]/gu, '')
            .trim()
            .replaceAll(' ', '-'),
        )
        if (!anchors.includes(anchor)) missing.push(target)
      }
    }
    expect(missing).toEqual([])
  })

  // Programs of other people lie elsewhere.
  it.each(pages.filter(path => path !== 'docs/evidence/programs.md'))('%s names files that are there', path => {
    const named = [...text(path).matchAll(/`((?:[\w-]+\/)+[\w.-]+\.(?:ts|mjs|slang|json|txt|ir))`/g)]
    expect(named.map(([, name]) => name!).filter(name => !files.some(file => `/${file}`.endsWith(`/${name}`)))).toEqual(
      [],
    )
  })

  for (const path of pages) {
    const blocks = blocksOf(text(path))
    const commands = commandsOf(blocks)
    if (commands.length === 0) continue
    const folder = join(made, path.replace(/\W/g, '_'))
    mkdirSync(join(folder, 'node_modules'), { recursive: true })
    symlinkSync(root, join(folder, 'node_modules/cotangent'), 'junction')
    symlinkSync(join(root, 'node_modules/webgpu'), join(folder, 'node_modules/webgpu'), 'junction')
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    for (const block of blocks) {
      const { lines } = block
      const name = fileOf(block)
      if (name !== undefined) writeFileSync(join(folder, name), `${lines.join('\n')}\n`)
    }
    for (const command of commands) {
      it(`${path}: ${command.text}`, () => {
        const out = printed(folder, command)
        const trimmed = command.printed.map(line => line.trimEnd())
        while (trimmed.at(-1) === '') trimmed.pop()
        if (!pattern(trimmed).test(`${out.map(line => line.trimEnd()).join('\n')}\n`)) expect(out).toEqual(trimmed)
      })
    }
  }
})
