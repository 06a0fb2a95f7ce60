/**
 * The files of a project of Vite. The example that `cotangent init` copies gives its configuration and the frame of its page. Around the program stand a page that
 * trains or draws it, tests, and of the playground those files that the page imports: so it runs as it does here.
 */
import ignored from '../../../examples/vite/.gitignore?raw'
import manifest from '../../../package.json?raw'
import type { Project, ProjectFile } from '../project/project.ts'
import { planFrom } from '../train/parse.ts'
import { PlanError, type Plan } from '../train/plan.ts'

interface Manifest {
  name: string
  readonly version: string
  readonly scripts: Record<string, string>
  readonly dependencies: Record<string, string>
  readonly devDependencies: Record<string, string>
}

type Texts = Readonly<Record<string, string>>

const example: Texts = import.meta.glob<string>(
  ['../../../examples/vite/*.{json,html,ts}', '../../../examples/vite/src/style.css', '!**/package-lock.json'],
  { query: '?raw', import: 'default', eager: true },
)
const pages: Texts = import.meta.glob<string>('./page/*', { query: '?raw', import: 'default', eager: true })
const parts: Texts = import.meta.glob<string>(
  ['../*.ts', '../{machine,panes,project,train}/*.ts', '../machine/modules/*.slang', '!../main.ts'],
  { query: '?raw', import: 'default', eager: true },
)

/** Modules that the playground gives programs; in a project they are files. */
const modules = ['playground.slang', 'printing.slang', 'rendering.slang']

/** All files of a project, by their paths. */
export function filesOf(project: Project, name: string): ReadonlyMap<string, string> {
  const plan = trainedBy(project)
  const trains = plan !== undefined
  const files = new Map<string, string>([['.gitignore', ignored]])
  for (const [path, text] of Object.entries(example)) files.set(path.replace('../../../examples/vite/', ''), text)
  const edit = (path: string, change: (text: string) => string): void => void files.set(path, change(files.get(path)!))
  edit('package.json', text => packageOf(text, name))
  // The page uses constants of WebGPU. No library of TypeScript declares them, and what does so declares other things of WebGPU once more.
  edit('tsconfig.json', text =>
    replaced(
      replaced(text, '"cotangent/client"]', '"cotangent/client", "@webgpu/types"]'),
      '"skipLibCheck": false',
      '"skipLibCheck": true',
    ),
  )
  const middle = page(trains ? 'train.html' : 'draw.html')
  edit('index.html', text => pageOf(text, middle))
  // The worker of the page is more than one file, and the compiler a large one.
  edit('vite.config.ts', text =>
    replaced(
      replaced(text, 'plugins: [cotangent()],', "plugins: [cotangent()],\n  worker: { format: 'es' },"),
      '{ modulePreload: false }',
      '{ modulePreload: false, chunkSizeWarningLimit: 2500 }',
    ),
  )
  const more = page('page.css')
  edit('src/style.css', text => `${text}${more}`)
  files.set('README.md', readme(trains))
  files.set('src/plan.ts', planOf(project, plan))
  for (const { name: file, text } of programOf(project)) files.set(`src/${file}`, text)
  const imported = modules.some(m => project.files.some(f => f.text.includes(m.replace('.slang', ''))))
  const own: [string, string][] = [
    ['src/main.ts', trains ? 'train.ts' : 'draw.ts'],
    ['src/program.test.ts', 'program.test.ts'],
  ]
  if (trains) own.push(['src/train.test.ts', 'train.test.ts'])
  const needed = new Set<string>()
  for (const [to, from] of own) {
    const text = page(from)
    for (const path of importsOf(text, 'download/page')) if (!path.startsWith('download/')) needed.add(path)
    files.set(to, text.replaceAll(/(['"])\.\.\/\.\.\//g, '$1./playground/'))
  }
  for (const [path, text] of closure(needed)) files.set(`src/playground/${path}`, text)
  if (imported) for (const m of modules) if (!files.has(`src/${m}`)) files.set(`src/${m}`, part(`machine/modules/${m}`))
  return files
}

/** The plan by which the project trains; undefined where it only runs. */
function trainedBy({ picks }: Project): Plan | undefined {
  if (picks['train'] === undefined) return undefined
  try {
    return planFrom(picks['train'])
  } catch (cause) {
    // A link may hold anything.
    if (cause instanceof PlanError) return undefined
    throw cause
  }
}

const page = (name: string): string => textAt(pages, `./page/${name}`)
const part = (path: string): string => textAt(parts, `../${path}`)

function textAt(texts: Texts, path: string): string {
  const text = texts[path]
  if (text === undefined) throw new Error(`the page has no file ${path}`)
  return text
}

/** Files of the playground and all that they import. */
function closure(from: Iterable<string>): Map<string, string> {
  const found = new Map<string, string>()
  const open = [...from]
  for (;;) {
    const path = open.pop()
    if (path === undefined) return found
    if (found.has(path)) continue
    const text = part(path)
    found.set(path, text)
    open.push(...importsOf(text, path.replace(/\/?[^/]*$/, '')))
  }
}

/** The files that a source names by a path from its own folder: what it imports, and workers. */
function importsOf(text: string, folder: string): string[] {
  const names = [...text.matchAll(/(?:from|import|import\(|new URL\()\s*'(\.[^'?]+)(?:\?raw)?'/g)].map(m => m[1]!)
  return names.filter(n => !n.endsWith('.slang') || folder === 'machine').map(n => joined(folder, n))
}

function joined(folder: string, path: string): string {
  const steps = folder === '' ? [] : folder.split('/')
  for (const step of path.split('/')) {
    if (step === '..') steps.pop()
    else if (step !== '.') steps.push(step)
  }
  return steps.join('/')
}

/** The program under the name that the page imports, and its other files under their own. */
function programOf({ files: [main, ...others] }: Project): ProjectFile[] {
  const kept = others.filter(f => f.name !== 'main.slang')
  if (kept.length < others.length)
    throw new Error(
      `the program is the first file, ${main!.name}, and another file is called main.slang: give that one another name`,
    )
  return [{ name: 'main.slang', text: main!.text }, ...kept]
}

/** The manifest of the example under another name, with the version of this page. */
function packageOf(text: string, name: string): string {
  const { version, devDependencies } = JSON.parse(manifest) as Manifest
  const found = JSON.parse(text) as Manifest
  found.name = name
  found.devDependencies['@webgpu/types'] = devDependencies['@webgpu/types']!
  found.dependencies['cotangent'] = `^${version}`
  // The page compiles in the browser, so nothing imports types of a shader; a program of functions only has none.
  for (const [script, command] of Object.entries(found.scripts))
    found.scripts[script] = command.replace('cotangent types src && ', '')
  return `${JSON.stringify(found, null, 2)}\n`
}

/** The page of the example with another middle. */
function pageOf(html: string, middle: string): string {
  const titled = html.replace(/<title>[^<]*/, '<title>Cotangent project')
  return titled.replace(/<main>[^]*<\/main>/, () => `<main>\n      <h1>Cotangent project</h1>\n${middle}    </main>`)
}

function replaced(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`the example no longer has ${from}`)
  return text.replace(from, () => to)
}

function planOf({ size, backend }: Project, plan: Plan | undefined): string {
  const json = (value: unknown): string => JSON.stringify(value, null, 2)
  const shape = `/** Width and height of the picture in pixels. */\nexport const size: readonly [number, number] = [${size.join(', ')}]\n`
  return plan !== undefined
    ? `/** What is trained, and how. */\nimport type { Plan } from './playground/train/index.ts'\n\nexport const plan: Plan = ${json(plan)}\n\n${shape}`
    : `/** How the program runs. */\n${shape}\n/** On WebGPU where there is a device, or always on the CPU. */\nexport const backend: 'auto' | 'cpu' = '${backend}'\n`
}

function readme(trains: boolean): string {
  const does = trains
    ? 'A page that trains `src/main.slang`. `src/plan.ts` says what is trained, and how.'
    : 'A page that runs `src/main.slang` and shows what it draws, prints and computes.'
  const tests = trains
    ? 'compares derivatives with finite differences, and trains on the CPU'
    : 'compares derivatives with finite differences'
  const plan = trains ? 'what is trained: parameters, first values, optimiser' : 'the size of the picture'
  return `# Cotangent project

${does} It comes from the playground of Cotangent.

    npm install
    npm run dev

| command | |
|---|---|
| \`npm run dev\` | serves the page, and updates it when you change the program |
| \`npm run build\` | writes the page into \`dist\` |
| \`npm test\` | ${tests} |
| \`npm run check\` | checks types and runs the tests once: for CI |

| file | |
|---|---|
| \`src/main.slang\` | the program |
| \`src/main.ts\` | the page |
| \`src/plan.ts\` | ${plan} |
| \`src/playground\` | what the playground does around a program: it is yours, too |
`
}
