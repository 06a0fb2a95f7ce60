// Makes src/check/core.generated.ts of core/*.slang: the text without comments, and where each declaration stands in it, so
// that the compiler parses only what a program uses; src/check/core-wgsl.generated.ts, which leaves out what WGSL has itself and what few programs need;
// src/check/core-rare.generated.ts, which those few add to it; and src/editor/core-text.generated.ts, the text as people wrote it, which
// editors show. Besides, src/target/emulate/library.generated.ts
// of library.slang beside it, without comments.
// Run by `npm run core`, which `prepare`, `test` and `build` call.
import { readFileSync, readdirSync, writeFileSync, existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('../', import.meta.url)
const token =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|\s+|"(?:\\.|[^"\\])*"|[A-Za-z_]\w*|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\w*|[^\s\w]/g

/** The tokens of a text without comments and white space, and which of them had some before them. */
function tokens(text) {
  const ts = [],
    spaced = []
  let space = false
  for (const t of text.match(token) ?? []) {
    const blank = /^(?:\/\/|\/\*|\s)/.test(t)
    if (!blank) {
      ts.push(t)
      spaced.push(space)
    }
    space = blank
  }
  return { ts, spaced }
}

/** Whether two tokens that stand apart would read otherwise when joined. */
const glues = (a, b) => (/\w$/.test(a) && /^[\w.]/.test(b)) || (/[-+*/<>=&|!]$/.test(a) && /^[-+*/<>=&|!]/.test(b))

/** The index after the bracket that closes the one at `i`. */
function skip(ts, i) {
  const pairs = { '(': ')', '[': ']', '{': '}', '<': '>' }
  const open = ts[i],
    close = pairs[open]
  let depth = 0
  for (let k = i; k < ts.length; k++) {
    if (ts[k] === open) depth++
    else if (ts[k] === close && --depth === 0) return k + 1
  }
  throw new Error(`no ${close} for ${ts.slice(i, i + 12).join(' ')}`)
}

/** Cuts tokens into top-level declarations: where each ends. */
function declarations(ts) {
  const out = []
  for (let i = 0; i < ts.length;) {
    const start = i
    while (ts[i] !== ';' && ts[i] !== '{') {
      if (i >= ts.length) throw new Error(`declaration without end: ${ts.slice(start, start + 12).join(' ')}`)
      // An initialiser list belongs to the declaration, a body ends it.
      if (ts[i] === '=') {
        while (i < ts.length && ts[i] !== ';') i = ts[i] === '{' ? skip(ts, i) : i + 1
        break
      }
      i = /^[([<]$/.test(ts[i]) ? skip(ts, i) : i + 1
    }
    i = ts[i] === '{' ? skip(ts, i) : i + 1
    out.push(i)
  }
  return out
}

/** The key of a declaration in the index: see `PackedFile` in src/check/modules/packed.ts. */
function key(ts) {
  let of = '',
    i = 0
  while (ts[i] === '[') {
    if (/^(?:ForwardDerivativeOf|BackwardDerivativeOf|PrimalSubstituteOf)$/.test(ts[i + 1])) of = `/${ts[i + 3]}`
    i = skip(ts, i)
  }
  return nameAt(ts, i) + of
}

/** The name of the declaration whose attributes end at `i`. */
function nameAt(ts, i) {
  while (/^(?:public|static|const|__generic|typealias|typedef)$/.test(ts[i])) {
    if (ts[i] === '__generic') {
      i = skip(ts, i + 1)
      continue
    }
    if (ts[i] === 'typealias') return ts[i + 1]
    if (ts[i] === 'typedef') return ts[ts.length - 2]
    i++
  }
  if (/^(?:struct|interface|enum|namespace)$/.test(ts[i])) return ts[i + 1]
  if (ts[i] === 'extension') {
    let params = []
    if (ts[++i] === '<') {
      const end = skip(ts, i)
      params = ts.slice(i, end).filter((t, k, all) => all[k - 1] === '<' || all[k - 1] === ',')
      i = end
    }
    return `!${params.includes(ts[i]) ? '*' : ts[i]}`
  }
  // A function's name stands before its parameters (and generic parameters), a variable's before `=` or its array length.
  let angle = 0,
    name = ''
  for (let k = i; k < ts.length; k++) {
    if (ts[k] === '<') {
      if (angle++ === 0) name = ts[k - 1]
    } else if (ts[k] === '>') angle--
    else if (angle === 0 && /^[([=]$/.test(ts[k])) return ts[k - 1] === '>' ? name : ts[k - 1]
  }
  throw new Error(`no name: ${ts.slice(0, 20).join(' ')}`)
}

/** A file of the library without comments and white space, one declaration a line, and its index. */
export function pack({ name, text }, edit = line => line) {
  const { ts, spaced } = tokens(text)
  const keys = []
  let out = '',
    start = 0
  for (const end of declarations(ts)) {
    let line = ''
    for (let i = start; i < end; i++) line += (i > start && spaced[i] && glues(ts[i - 1], ts[i]) ? ' ' : '') + ts[i]
    line = edit(line)
    keys.push(shortened(key(ts.slice(start, end)), line))
    out += `${line}\n`
    start = end
  }
  return { name, text: out, keys: keys.join('') }
}

/** A key with characters for names: where in the line each stands first. */
function shortened(key, line) {
  return key.replace(/\w+/g, name => String.fromCharCode(48 + line.search(new RegExp(`\\b${name}\\b`))))
}

/** Files for targets that have no elementary functions and no textures. WGSL has both. */
const forOthers = new Set(['core/libm.slang', 'core/emulated-texture.slang'])

/** Files that few programs need, so that bundles for WGSL alone go without. */
const apart = new Set(
  [
    'append',
    'atomic',
    'byte-address',
    'combined',
    'coop-vec',
    'determinant',
    'diff-texture',
    'lighting',
    'packing',
    'pointer',
    'ray',
    'tensor',
    'wave',
  ].map(name => `core/${name}.slang`),
)

/** Files that say much alike. They stand together at the end, so that compression finds in one what stood in another. */
const alike = ['atomic.slang', 'buffer.slang', 'tensor.slang', 'gradient.slang', 'texture.slang', 'combined.slang']

/**
 * A declaration as WGSL needs it: without the samples, which tests read; of an intrinsic of WGSL, without the intrinsic for
 * WebAssembly (by that for JavaScript constants are folded), and without the body if it is never called. Derivatives call it where it
 * is marked for them; vectors of one component, which may be `vector<T, N>`, do too, and integers of 64 bits that of `min`, `max` and
 * `clamp`.
 */
function forWgsl(line) {
  const untested = line.replaceAll(/\[__sample\([^)]*\)\]/g, '')
  if (!/^[^{]*\[__target_intrinsic\(wgsl:/.test(untested)) return untested
  const own = untested.replace(/,wasm:"[^"]*"/, '')
  return /Differentiable\]|let N:int|LanewiseInt>\(T x/.test(own) ? own : own.replace(/\{.*$/, ';')
}

/** What stands in the generated files, by name. */
function coreSources() {
  const dir = new URL('core/', root)
  const files = readdirSync(dir)
    .filter(f => f.endsWith('.slang') && !alike.includes(f))
    .sort()
    .concat(alike)
    .map(f => ({ name: `core/${f}`, text: readFileSync(new URL(f, dir), 'utf8') }))
  const forWgslAlone = files.filter(f => !forOthers.has(f.name))
  const source = (name, doc, packed) =>
    "// Made of core/*.slang by tools/core-index.mjs.\nimport { PackedLibrary } from './modules/packed.ts'\n\n" +
    `const files = ${JSON.stringify(packed)}\n/** ${doc} */\nexport const ${name}: PackedLibrary = /* @__PURE__ */ new PackedLibrary(files)\n`
  const library = 'target/emulate/library.slang'
  const { text } = pack({ name: library, text: readFileSync(new URL(`src/${library}`, root), 'utf8') })
  return {
    'target/emulate/library.generated.ts':
      '// Made of library.slang by tools/core-index.mjs.\n/** The functions that emulation calls. */\n' +
      `export const source: string = ${JSON.stringify(text)}\n`,
    'editor/core-text.generated.ts':
      '// Made of core/*.slang by tools/core-index.mjs.\n/** The files of the core library as they are written. */\n' +
      `export const coreText: readonly { readonly name: string; readonly text: string }[] = ${JSON.stringify(files)}\n`,
    'check/core.generated.ts': source(
      'core',
      'The core library.',
      files.map(f => pack(f)),
    ),
    'check/core-wgsl.generated.ts': source(
      'wgslCore',
      'What WGSL needs of it.',
      forWgslAlone.filter(f => !apart.has(f.name)).map(f => pack(f, forWgsl)),
    ),
    'check/core-rare.generated.ts':
      "// Made of core/*.slang by tools/core-index.mjs.\nimport type { PackedFile } from './modules/packed.ts'\n\n" +
      '/** The files that few programs need. */\n' +
      `export const rareCore: readonly PackedFile[] = ${JSON.stringify(forWgslAlone.filter(f => apart.has(f.name)).map(f => pack(f, forWgsl)))}\n`,
  }
}

/** Writes the generated files where they do not say what core/ says. */
export function writeCore() {
  for (const [name, source] of Object.entries(coreSources())) {
    const target = new URL(`src/${name}`, root)
    if (!existsSync(target) || readFileSync(target, 'utf8') !== source) writeFileSync(target, source)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeCore()
