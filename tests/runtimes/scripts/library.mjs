// Runs on every runtime: what the library gives, as JSON.
import { compile, renderDiagnostics } from 'cotangent'
import { checkDerivatives, load } from 'cotangent/cpu'
import { compile as compileWgsl } from 'cotangent/wgsl'
import { readFileSync } from 'node:fs'

const source = readFileSync('program.slang', 'utf8')
const program = compile(source, { fileName: 'program.slang' })
const m = await load(program)
const o = new Float32Array([1, 2, 3, 4])
m.kernel('main').dispatch([1, 1, 1], { buffers: { o }, uniforms: { k: 10 } })
const two = await load(program, { threads: 2 })
const shared = new Float32Array([1, 2, 3, 4, 0, 0, 0, 0])
two.kernel('main').dispatch([2, 1, 1], { buffers: { o: shared }, uniforms: { k: 10 } })
const { ok, functions } = await checkDerivatives(program, { seed: 5, samples: 4 })
const deep = compile(`float f(float x) { return ${'('.repeat(100000)}x; }`)
console.log(
  JSON.stringify({
    wgsl: program.wgsl().code,
    same: compileWgsl(source, { fileName: 'program.slang' }).wgsl().code === program.wgsl().code,
    value: m.fn.f(3, 2),
    gradient: m.fn.f.valueAndGrad(3, 2),
    tangent: m.fn.f.jvp([3, 2], [1, null]),
    wrote: [...o],
    threads: [two.threads.count, ...shared],
    check: [ok, functions.map(f => [f.name, f.status])],
    wrong: renderDiagnostics(compile('float f() { return y; }').diagnostics),
    deep: deep.ok,
  }),
)
