import { readFileSync, readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Rooms whose files import each other in circles, each with the door that others come in by. */
const doors: Readonly<Record<string, string>> = {
  'src/check/types/': 'src/check/types/index.ts',
  'src/check/expressions/': 'src/check/expressions/index.ts',
}

/** Groups of files that import each other in circles, with the reason. No other files may. */
const circular: readonly { readonly what: string; readonly files: RegExp }[] = [
  { what: 'types, constants and conformances: a type may name any of them', files: /^src\/check\/types\// },
  { what: 'expressions, which hold expressions', files: /^src\/check\/expressions\// },
  {
    what: 'instructions: a value has a type, an op, and the instruction that gives it',
    files: /^src\/ir\/(build|op|ops|type|value)\.ts$/,
  },
  { what: 'the syntax tree, whose expressions hold blocks', files: /^src\/syntax\/ast(-expr)?\.ts$/ },
  { what: 'the printer of that tree', files: /^src\/syntax\/print(-expr)?\.ts$/ },
  { what: 'the parser, by recursive descent', files: /^src\/syntax\/parse-[\w-]+\.ts$/ },
  {
    what: 'the formatter: declarations hold statements, and these hold declarations and expressions, which hold blocks of lambdas',
    files: /^src\/format\/(attributes|brackets|declaration|inline|statement)\.ts$/,
  },
  {
    what: 'lowering of expressions, which hold expressions, and the statements by which an error leaves a `try`',
    files: /^src\/lower\/(builtin|call|dispatch|expr|init|intrinsic|place|stmt)\.ts$/,
  },
  { what: 'structuring: a loop holds statements', files: /^src\/target\/code\/(loop|structure)\.ts$/ },
  { what: 'bodies of WebAssembly', files: /^src\/target\/wasm\/(atomic|body|control|effect|limit|sum)\.ts$/ },
  { what: 'bodies of several threads at once', files: /^src\/target\/wasm\/wide\/(body|control|rows)\.ts$/ },
]

function files(dir: string): string[] {
  return readdirSync(join(root, dir), { withFileTypes: true, recursive: true })
    .filter(e => e.isFile() && (e.name.endsWith('.ts') || e.name.endsWith('.slang')))
    .map(e => relative(root, join(e.parentPath, e.name)).split(sep).join('/'))
}

const sources = files('src')

/** Every way to name another file: what is imported or exported from it, for its effects, in time, or as a type. */
const importLines = /(?<=^(?:import|export)\b[^'"]*?\bfrom |^import |(?<![.#\w])import\()'([^']+)'/gm

function roomOf(path: string): string {
  return path.split('/')[1]!
}

/** What each file of src imports of src. */
const arrows: ReadonlyMap<string, readonly string[]> = new Map(
  sources.map(file => [
    file,
    [...readFileSync(join(root, file), 'utf8').matchAll(importLines)].flatMap(([, from = '']) =>
      from.startsWith('.')
        ? [
            relative(root, join(root, file, '..', from))
              .split(sep)
              .join('/'),
          ]
        : [],
    ),
  ]),
)

/** The room with a door that a file is in. */
function closedRoomOf(file: string): string | undefined {
  return Object.keys(doors).find(room => file.startsWith(room))
}

/** The files that lead back to themselves, each with those that it does so by: Tarjan's strongly connected components. */
function circles(): string[][] {
  const found: string[][] = []
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const visit = (file: string): void => {
    order.set(file, order.size)
    lowest.set(file, order.get(file)!)
    open.push(file)
    for (const to of arrows.get(file) ?? []) {
      if (!order.has(to)) visit(to)
      if (open.includes(to)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(to)!))
    }
    if (lowest.get(file) !== order.get(file)) return
    const circle = open.splice(open.indexOf(file))
    if (circle.length > 1) found.push(circle.toSorted())
  }
  for (const file of sources) if (!order.has(file)) visit(file)
  return found
}

/** The tables of ARCHITECTURE.md: the parts of the compiler, and the rooms of its checker. The upper rows know nothing of the lower ones. */
const tables = [
  {
    title: 'parts of src',
    header: '| part of `src`',
    partOf: (file: string): string =>
      roomOf(file) === 'target' && file.split('/').length > 3 ? file.split('/').slice(1, 3).join('/') : roomOf(file),
    parts: sources,
  },
  {
    title: 'rooms of the checker',
    header: '| room of `src/check`',
    partOf: (file: string): string => file.split('/')[2]!,
    parts: sources.filter(file => roomOf(file) === 'check' && !file.includes('.generated.')),
  },
]

/** The rows of a table of ARCHITECTURE.md by their first cells, each with what its last cell names. */
function rowsOf(header: string): [part: string, imports: string[]][] {
  const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').split('\n')
  const from = page.findIndex(line => line.startsWith(header))
  return page.slice(from + 2, page.indexOf('', from)).flatMap(line => {
    const cells = line.split('|').map(cell => cell.trim())
    const imports = cells[3]!.replace(/^nothing$/, '').split(', ')
    return [...cells[1]!.matchAll(/`(.+?)`/g)].map(([, part]): [string, string[]] => [
      part!,
      imports.filter(name => name !== '').toSorted(),
    ])
  })
}

/** What each part imports of the others. */
function importsOf(partOf: (file: string) => string, among: readonly string[]): [part: string, imports: string[]][] {
  const found = new Map<string, Set<string>>(among.map(file => [partOf(file), new Set()]))
  for (const file of among)
    for (const other of arrows.get(file)!)
      if (among.includes(other) && partOf(other) !== partOf(file)) found.get(partOf(file))!.add(partOf(other))
  return [...found].map(([part, imports]) => [part, [...imports].toSorted()])
}

describe('the house', () => {
  test('import lines are found', () => {
    const text =
      "import { a } from './a.ts'\nimport type { b,\n  c } from './b.ts'\nexport * from './c.ts'\nimport 'd'\nconst e = await import('e'), f = './f.ts'\nlet g: import('./g.ts').G"
    expect([...text.matchAll(importLines)].map(m => m[1])).toEqual(['./a.ts', './b.ts', './c.ts', 'd', 'e', './g.ts'])
    expect(sources.length).toBeGreaterThan(200)
  })

  test('files import each other in circles only where they are of one thing', () => {
    const found = circles()
    const explains = (files: RegExp, circle: readonly string[]): boolean => circle.every(f => files.test(f))
    expect(found.filter(circle => !circular.some(({ files }) => explains(files, circle)))).toEqual([])
    expect(circular.filter(({ files }) => !found.some(circle => explains(files, circle)))).toEqual([])
  })

  test('a room with a door is entered by it', () => {
    const past: string[] = []
    for (const [file, to] of arrows) {
      for (const other of to) {
        const room = closedRoomOf(other)
        if (room !== undefined && other !== doors[room] && closedRoomOf(file) !== room)
          past.push(`${file} imports ${other}, past its door`)
      }
    }
    expect(past).toEqual([])
  })

  for (const { title, header, partOf, parts } of tables) {
    test(`${title} import what ARCHITECTURE.md says, and only what stands above them there`, () => {
      const listed = rowsOf(header)
      expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(importsOf(partOf, parts)))
      const order = listed.map(([part]) => part)
      expect(
        listed.flatMap(([part, imports]) =>
          imports
            .filter(other => order.indexOf(other) >= order.indexOf(part))
            .map(other => `${part} imports ${other}, which stands below it`),
        ),
      ).toEqual([])
    })
  }

  test('the compiler uses nothing of Node and no packages, and project files only a parser of JSON', () => {
    /** What these rooms may import besides files; all others only files. */
    const outside: Readonly<Record<string, (from: string) => boolean>> = {
      cli: () => true,
      plugin: () => true,
      files: from => from.startsWith('node:'),
      lsp: from => from.startsWith('vscode-languageserver') || from.startsWith('node:'),
      project: from => from === 'jsonc-parser',
    }
    const wrong = sources.flatMap(f =>
      [...readFileSync(join(root, f), 'utf8').matchAll(importLines)]
        .filter(([, from]) => !from!.startsWith('.') && outside[roomOf(f)]?.(from!) !== true)
        .map(([, from]) => `${f} imports ${from}`),
    )
    expect(wrong).toEqual([])
  })

  test('files stay short', () => {
    const wrong = [...sources, ...files('core')].filter(
      f => readFileSync(join(root, f), 'utf8').split('\n').length > 601,
    )
    expect(wrong).toEqual([])
  })
})
