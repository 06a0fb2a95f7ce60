// Writes the reference of the library to site/pages/.assembled/reference: a page for each entry of the package, made from the declarations in dist/
// and their doc comments. Any warning of typedoc fails it: a link in a comment that leads nowhere, or an exported symbol without a comment.
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { Application, Converter } from 'typedoc'

const at = path => fileURLToPath(new URL(path, import.meta.url))
const { exports } = JSON.parse(readFileSync(at('../../package.json'), 'utf8'))
/** Entries by the name of their declarations. Those of `cotangent/client` declare modules for imports with a query, and export nothing. */
const entries = new Map(
  Object.entries(exports).flatMap(([path, entry]) =>
    typeof entry === 'string' || path === './client'
      ? []
      : [[basename(entry.types, '.d.ts'), { path, file: at(`../../${entry.types}`) }]],
  ),
)

const app = await Application.bootstrapWithPlugins({
  name: 'Reference',
  entryPoints: [...entries.values()].map(({ file }) => file),
  tsconfig: at('tsconfig.api.json'),
  plugin: ['typedoc-plugin-markdown', 'typedoc-plugin-missing-exports'],
  outputs: [{ name: 'markdown', path: at('.assembled/reference') }],
  logLevel: 'Warn',
  skipErrorChecking: true,
  readme: 'none',
  disableSources: true,
  excludePrivate: true,
  excludeProtected: true,
  excludeInternal: true,
  excludeExternals: true,
  placeInternalsInOwningModule: true,
  validation: { notExported: true, invalidLink: true, invalidPath: true, notDocumented: true },
  requiredToBeDocumented: ['Class', 'Function', 'Interface', 'TypeAlias', 'Variable', 'Enum'],
  // Members by which a few types of WebGPU are told apart where the types of WebGPU are not installed.
  intentionallyNotDocumented: [
    'WebGpuBuffer.__type.mapAsync',
    'WebGpuComputePass.__type.end',
    'WebGpuDevice.__type.createShaderModule',
    'WebGpuTexture.__type.createView',
  ].map(name => `cotangent/gpu.${name}`),
  entryFileName: 'index',
  outputFileStrategy: 'modules',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  parametersFormat: 'table',
})
// Pages are called what people import.
app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
  for (const module of project.children ?? []) module.name = `cotangent${entries.get(module.name).path.slice(1)}`
})
const project = await app.convert()
if (project === undefined) process.exit(1)
app.validate(project)
await app.generateOutputs(project)
// The pages are where the imports are: typedoc numbers a page whose name it has used for something else.
const folder = at('.assembled/reference/')
const made = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.md'))
for (const name of made) {
  const text = readFileSync(folder + name, 'utf8')
  rmSync(folder + name)
  writeFileSync(folder + name.replace(/-1\.md$/, '.md'), text.replace(/-1\.md(?=[)#])/g, '.md'))
}

const client = readFileSync(at('../../dist/client.d.ts'), 'utf8')
const [, comment, declarations] = /^\/\*\*\n([^]*?) \*\/\n([^]*)$/.exec(client)
const says = comment.replace(/^ \* ?/gm, '')
mkdirSync(at('.assembled/reference/cotangent'), { recursive: true })
writeFileSync(
  at('.assembled/reference/cotangent/client.md'),
  `# cotangent/client\n\n${says}\n\`\`\`ts\n${declarations.trim()}\n\`\`\`\n`,
)
process.exitCode = app.logger.hasErrors() || app.logger.hasWarnings() ? 1 : 0
