import { readFileSync, readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** What each folder of src may import; a folder may always import itself. */
const below: Readonly<Record<string, readonly string[]>> = {
  base: [],
  syntax: ['base'],
  check: ['base', 'syntax'],
  ir: ['base'],
  lower: ['base', 'syntax', 'check', 'ir'],
  opt: ['base', 'ir'],
  ad: ['base', 'ir', 'opt'],
  target: ['base', 'ir', 'opt'],
  host: ['base'],
  cpu: ['index.ts', 'host'],
  gpu: ['index.ts', 'host'],
  plugin: ['index.ts'],
  cli: ['base', 'index.ts', 'cpu', 'gpu', 'host'],
  'front.ts': ['base', 'check', 'ir', 'lower'],
  'compile.ts': ['base', 'syntax', 'check', 'ir', 'lower', 'opt', 'ad'],
  'program.ts': ['base', 'front.ts', 'compile.ts', 'ir', 'target'],
  debug: ['base', 'ir', 'ad'],
  'index.ts': ['base', 'check', 'front.ts', 'compile.ts', 'program.ts', 'target', 'debug', 'ir', 'host'],
  'wgsl.ts': ['base', 'check', 'compile.ts', 'program.ts', 'target'],
}

const sharedByTargets: readonly string[] = readdirSync(join(root, 'src/target')).filter(name => name.endsWith('.ts'))

/** The same for the rooms of a folder that has some: what each may import of the others. */
const inside: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  check: {
    model: [],
    modules: ['model'],
    types: ['model', 'modules'],
    expressions: ['model', 'types'],
    statements: ['model', 'modules', 'types', 'expressions'],
    declarations: ['model', 'types', 'expressions', 'statements'],
    derivatives: ['model', 'types', 'expressions', 'statements'],
    'check.ts': ['model', 'modules', 'types', 'expressions', 'statements', 'declarations', 'derivatives'],
    'core.generated.ts': ['modules'],
    'core-wgsl.generated.ts': ['modules'],
  },
  // What targets share stands beside their folders; none of it knows a target.
  target: Object.fromEntries([
    ['code', sharedByTargets],
    ['leaves', sharedByTargets],
    ['wgsl', ['code', ...sharedByTargets]],
    ['js', ['code', 'leaves', ...sharedByTargets]],
    ['wasm', sharedByTargets],
    ...sharedByTargets.map(file => [file, sharedByTargets] as const),
  ]),
}

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
  { what: 'the parser, by recursive descent', files: /^src\/syntax\/parse-\w+\.ts$/ },
  {
    what: 'lowering of expressions, which hold expressions',
    files: /^src\/lower\/(builtin|call|dispatch|expr|init|intrinsic|place)\.ts$/,
  },
  { what: 'structuring: a loop holds statements', files: /^src\/target\/code\/(loop|structure)\.ts$/ },
  { what: 'bodies of WebAssembly', files: /^src\/target\/wasm\/(body|control|effect|limit)\.ts$/ },
]

/** Files longer than 600 lines, with the reason. */
const long: Readonly<Record<string, string>> = {
  'src/syntax/ast.ts': 'the whole syntax tree is one union, and is read as one page',
  'src/check/core.generated.ts': 'made by tools/core-index.mjs, and not in the repository',
  'src/check/core-wgsl.generated.ts': 'made by tools/core-index.mjs, and not in the repository',
}

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

describe('the house', () => {
  test('import lines are found', () => {
    const text =
      "import { a } from './a.ts'\nimport type { b,\n  c } from './b.ts'\nexport * from './c.ts'\nimport 'd'\nconst e = await import('e'), f = './f.ts'\nlet g: import('./g.ts').G"
    expect([...text.matchAll(importLines)].map(m => m[1])).toEqual(['./a.ts', './b.ts', './c.ts', 'd', 'e', './g.ts'])
    expect(sources.length).toBeGreaterThan(200)
  })

  test('every folder imports only what stands below it', () => {
    const wrong: string[] = []
    for (const file of sources) {
      const room = roomOf(file)
      for (const [, from = ''] of readFileSync(join(root, file), 'utf8').matchAll(importLines)) {
        if (!from.startsWith('.')) continue
        const to = roomOf(
          relative(root, join(root, file, '..', from))
            .split(sep)
            .join('/'),
        )
        if (to !== room && !(below[room] ?? []).includes(to)) wrong.push(`${file} imports ${from}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test('rooms of a folder import only what stands below them', () => {
    const wrong: string[] = []
    for (const [file, to] of arrows) {
      const rooms = inside[roomOf(file)]
      if (rooms === undefined) continue
      const room = file.split('/')[2]!
      for (const other of to) {
        if (roomOf(other) !== roomOf(file)) continue
        const its = other.split('/')[2]!
        if (its !== room && !(rooms[room] ?? []).includes(its)) wrong.push(`${file} imports ${other}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test('files import each other in circles only where they are of one thing', () => {
    expect(circles().filter(circle => !circular.some(({ files }) => circle.every(f => files.test(f))))).toEqual([])
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

  test('ARCHITECTURE.md lists what each part imports', () => {
    /** The rows of a table by their first cells, each with what its last cell names. */
    const rows = (header: string): [string, string[]][] => {
      const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').split('\n')
      const from = page.findIndex(line => line.startsWith(header))
      const to = page.indexOf('', from)
      return page.slice(from + 2, to).flatMap(line => {
        const cells = line.split('|').map(cell => cell.trim())
        const imports = cells[3]!.replace(/^nothing$/, '').split(', ')
        return [...cells[1]!.matchAll(/`(.+?)`/g)].map(([, part]): [string, string[]] => [
          part!,
          imports.filter(name => name !== '').sort(),
        ])
      })
    }
    const folderOf = (file: string): string =>
      roomOf(file) === 'target' && file.split('/').length > 3 ? file.split('/').slice(1, 3).join('/') : roomOf(file)
    const checkerRoomOf = (file: string): string => file.split('/')[2]!
    const imported = (part: (file: string) => string, among: (file: string) => boolean): [string, string[]][] => {
      const found = new Map<string, Set<string>>()
      for (const [file, to] of arrows) {
        if (!among(file)) continue
        const own = found.get(part(file)) ?? new Set()
        found.set(part(file), own)
        for (const other of to) if (among(other) && part(other) !== part(file)) own.add(part(other))
      }
      return [...found].map(([name, names]) => [name, [...names].sort()])
    }
    const inChecker = (file: string): boolean => roomOf(file) === 'check' && !file.includes('.generated.')
    expect(Object.fromEntries(rows('| part of `src`'))).toEqual(Object.fromEntries(imported(folderOf, () => true)))
    expect(Object.fromEntries(rows('| room of `src/check`'))).toEqual(
      Object.fromEntries(imported(checkerRoomOf, inChecker)),
    )
  })

  test('the compiler uses nothing of Node and no packages', () => {
    const pure = sources.filter(f => roomOf(f) !== 'cli')
    const wrong = pure.filter(f =>
      [...readFileSync(join(root, f), 'utf8').matchAll(importLines)].some(([, from]) => !from!.startsWith('.')),
    )
    expect(wrong).toEqual([])
  })

  test('files stay short', () => {
    const wrong = [...sources, ...files('core')].filter(
      f => !(f in long) && readFileSync(join(root, f), 'utf8').split('\n').length > 601,
    )
    expect(wrong).toEqual([])
  })
})
