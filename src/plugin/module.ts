/** The JavaScript modules that imports of shaders become. */
import type { Position } from '../base/source.ts'
import { isNamed } from '../declare/module.ts'
import {
  CompileError,
  sourceOf,
  type CompileOptions,
  type EntryPoint,
  type Program,
  type Wgsl,
  type WasmOutput,
} from '../index.ts'

/** A line of a module, and where in the source it comes from. */
export interface Line {
  readonly text: string
  readonly origin?: Position | undefined
}

/** A value as an expression of JavaScript. Text in it ends no `<script>` and no line, and no key is the object's prototype. */
export function literal(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('"__proto__":', '["__proto__"]:')
    .replace(/[\u2028\u2029]/g, c => `\\u${c.charCodeAt(0).toString(16)}`)
    .replace(/<(?=[!/])/g, '\\x3C')
}

/** What `make` gives; undefined for a program that the target cannot express. */
function made<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch (cause) {
    if (cause instanceof CompileError) return undefined
    throw cause
  }
}

/** Names of the kernels that a gradient can be asked of. */
function differentiableKernels(program: Program): string[] {
  const marked = new Set(program.functions.filter(f => f.differentiable === 'backward').map(f => f.name))
  return program.entries.filter(e => e.stage === 'compute' && marked.has(e.name)).map(e => e.name)
}

/** The parts of a program's WGSL that a host needs. Positions in the source are for a page that is being written: they take room. */
function shown(wgsl: Wgsl, withPositions: boolean): object {
  const { code, reflection, sourceMap } = wgsl
  const lines = withPositions ? [...new Set(sourceMap.map(m => m.line))] : []
  return {
    code,
    reflection,
    sourceMap: lines.flatMap(line => {
      const position = sourceOf(wgsl, line)
      return position === undefined ? [] : [{ line, span: { file: { isCore: false }, position } }]
    }),
  }
}

/** The module of `import program from './fit.slang'`: WGSL, reflection, and nothing of the compiler. `hot`: it can be replaced in a page. */
export function gpuModule(program: Program, hot: boolean): Line[] {
  const wgsl = program.wgsl()
  const reverse = differentiableKernels(program).flatMap(name => {
    const own = made(() => program.wgsl({ reverseOf: name }))
    return own === undefined ? [] : ([[name, shown(own, hot)]] as const)
  })
  const functions = reverse.map(([name]) => ({ name, differentiable: 'backward' }))
  const points = wgsl.reflection.entries.map(({ name, target, stage, workgroupSize }) => ({
    name,
    target,
    stage,
    workgroupSize,
  }))
  const declared = new Map(program.entries.map((e: EntryPoint) => [e.name, e.position]))
  const first = program.entries[0]?.position
  return [
    { text: `const wgsl = ${literal(shown(wgsl, hot))}`, origin: first },
    ...(reverse.length === 0 ? [] : [{ text: `const reverse = new Map(${literal(reverse)})`, origin: first }]),
    { text: 'export const { code, reflection } = wgsl', origin: first },
    { text: `export const entryPoints = ${literal(points)}`, origin: first },
    ...points.flatMap((point, i) =>
      isNamed(point, points)
        ? [{ text: `export const ${point.name} = entryPoints[${i}]`, origin: declared.get(point.name) }]
        : [],
    ),
    {
      text: `const program = { code, reflection, functions: ${literal(functions)}, wgsl: ${reverse.length === 0 ? '() => wgsl' : 'options => options?.reverseOf === undefined ? wgsl : reverse.get(options.reverseOf)'} }`,
      origin: first,
    },
    ...(hot ? replacement.split('\n').map(text => ({ text })) : [{ text: 'export default program', origin: first }]),
  ]
}

/**
 * The program keeps its identity when its source changes, so who holds it need not ask again. The page takes the change only while somebody
 * listens who can exchange pipelines, and only if the bindings are as before. Otherwise the importers run again, or the page loads anew.
 */
const replacement = `program.listeners = new Set()
let current = program
if (import.meta.hot) {
  const { data } = import.meta.hot
  const before = data.program
  const shape = ({ bindings, entries }) => JSON.stringify([bindings, entries.map(e => [e.name, e.stage, e.bindings])])
  if (before !== undefined && before.listeners.size > 0 && shape(before.reflection) === shape(reflection)) {
    const { listeners } = before
    current = Object.assign(before, program, { listeners })
    for (const listen of listeners) listen()
  }
  data.program = current
  import.meta.hot.accept()
  if (before !== undefined && current !== before)
    import.meta.hot.invalidate(before.listeners.size > 0 ? 'the bindings of the shader changed' : 'nothing is attached to the shader')
}
export default current`

function base64(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192))
  return btoa(text)
}

type Wasm = Pick<WasmOutput, 'bytes' | 'host'>

/** The derivatives that the module of the whole program lacks, each in a module of its own: one that cannot be made keeps out the others. */
function missingDerivatives(program: Program, whole: Wasm): (readonly [name: string, made: Wasm])[] {
  const there = new Set(whole.host.functions.map(f => f.name))
  return program.exports.flatMap(({ name, differentiable }) => {
    const mode = differentiable === 'backward' ? 'bwd_diff' : 'fwd_diff'
    if (differentiable === 'none' || there.has(`${mode}(${name})`)) return []
    const own = made(() => program.wasm({ derivativesOf: name }))
    return own === undefined ? [] : [[name, own] as const]
  })
}

/** The module of `import cpu from './fit.slang?cpu'`: WebAssembly of the exported functions and kernels, with derivatives. */
export function cpuModule(program: Program): Line[] {
  const shownWasm = ({ bytes, host }: Wasm): object => ({ bytes: base64(bytes), host })
  const whole = program.wasm()
  const kernels = differentiableKernels(program)
  const reverse = kernels.flatMap(name => {
    const own = made(() => program.wasm({ reverseOf: name }))
    return own === undefined ? [] : [[name, shownWasm(own)] as const]
  })
  const reversed = new Map(reverse)
  const functions = program.functions
    .filter(f => !kernels.includes(f.name) || reversed.has(f.name))
    .map(({ name, differentiable }) => ({ name, differentiable }))
  const text = [
    `const whole = ${literal(shownWasm(whole))}`,
    `const derivatives = new Map(${literal(missingDerivatives(program, whole).map(([name, own]) => [name, shownWasm(own)]))})`,
    `const reverse = new Map(${literal(reverse)})`,
    'const decoded = new Map()',
    'const decode = output => {',
    '  let made = decoded.get(output)',
    '  if (made === undefined)',
    '    decoded.set(output, (made = { host: output.host, bytes: Uint8Array.from(atob(output.bytes), c => c.charCodeAt(0)) }))',
    '  return made',
    '}',
    'export default {',
    `  exports: ${literal(program.exports)},`,
    `  functions: ${literal(functions)},`,
    '  wasm({ limits, lanes, derivativesOf, reverseOf } = {}) {',
    '    if (limits !== undefined)',
    "      throw new Error('a program that a build compiled counts nothing, so it takes no limits: import it with ?runtime, and compile it in the page')",
    '    if (lanes === 1 && whole.host.kernels.some(k => k.lanes.count > 1))',
    "      throw new Error('the kernels of a program that a build compiled run four threads at once, by vectors: for one, or where there are none, import it with ?runtime, and compile it in the page')",
    '    return decode(reverseOf === undefined ? (derivatives.get(derivativesOf) ?? whole) : reverse.get(reverseOf))',
    '  },',
    '}',
  ]
  const origin = program.entries[0]?.position
  return text.map(line => ({ text: line, origin }))
}

/** What `?runtime` brings: the sources of a program, and how it is compiled. */
export interface RuntimeSources {
  readonly fileName: string
  readonly files: Readonly<Record<string, string>>
  readonly options: CompileOptions
}

/** The module of `import live from './fit.slang?runtime'`: the source and the compiler. */
export function runtimeModule({ fileName, files, options }: RuntimeSources): Line[] {
  const text = [
    "import { compile } from 'cotangent'",
    `const fileName = ${literal(fileName)}`,
    `const files = ${literal(files)}`,
    `const options = ${literal(options)}`,
    'const source = files[fileName]',
    'export default {',
    '  fileName,',
    '  source,',
    '  files,',
    '  compile: (changed = source, more = {}) => compile(changed, { ...options, fileName, files, ...more }),',
    '}',
  ]
  return text.map(line => ({ text: line, origin: { file: fileName, line: 1, column: 1 } }))
}
