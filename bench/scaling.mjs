// How compiling grows with programs: each family grown 64-fold, or as far as it can be, and the sizes that must compile.
//   npm run bench:scaling [-- family…]
// Milliseconds of the processor for a whole compile to WGSL, the fastest of three to twelve, as many as take half a second; the exponent is that of size over the whole growth, and over its second half.
import { compile } from '../dist/index.js'
import { families } from './grow.mjs'

const limit = 1.15
const range = n => Array.from({ length: n }, (_, i) => i)
const kernel = body => `RWStructuredBuffer<float> data;
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID) { ${body} }
`

/** Families beside those that the real compiler is measured on; some are of several files. */
const own = {
  // a generic differentiable function used with N types
  instances: {
    make: n =>
      range(n)
        .map(
          i =>
            `struct S${i} : IShape { float r; [Differentiable] float area(float k) { return r * k * ${i + 1}.0; } }\n`,
        )
        .reduce(
          (s, t) => s + t,
          'interface IShape : IDifferentiable { [Differentiable] float area(float k); }\n[Differentiable] float scaled<T : IShape>(T s, float k) { return sin(s.area(k)); }\n',
        ) +
      kernel(
        `float sum = 0; ${range(n)
          .map(
            i =>
              `{ S${i} s = { data[${i}] }; var p = diffPair(s); var k = diffPair(data[0]); bwd_diff(scaled)(p, k, 1.0); sum += k.d; }`,
          )
          .join('\n')} data[0] = sum;`,
      ),
  },
  // N imported modules, each using the one before
  modules: {
    make: n => `import m${n - 1};\n${kernel(`var x = diffPair(data[0]); bwd_diff(f${n - 1})(x, 1.0); data[0] = x.d;`)}`,
    files: n =>
      Object.fromEntries(
        range(n).map(i => [
          `m${i}.slang`,
          i === 0
            ? 'public [Differentiable] float f0(float x) { return sin(x); }'
            : `import m${i - 1};\npublic [Differentiable] float f${i}(float x) { return f${i - 1}(x * 0.9) * 0.5 + x; }`,
        ]),
      ),
  },
}

/** The size at which a family begins: large enough that what every program costs does not hide how it grows. */
const starts = {
  straight: 80,
  branches: 4,
  branchesNoElse: 4,
  ternary: 4,
  earlyReturn: 4,
  loops: 4,
  array: 4,
  arrayParam: 4,
  maxIters: 16,
  trips: 16,
  fields: 4,
  instances: 2,
}
/**
 * Families that cannot grow 64-fold: the code of nested loops doubles with each, so they grow to the depth that must compile, and chains of
 * calls grow to the longest that has a derivative.
 */
const steps = { nesting: [1, 4, 10], chain: [4, 22, 120], modules: [4, 22, 120] }

const cpu = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function time(family, n) {
  const source = family.make(n)
  const files = family.files?.(n)
  let best = Infinity,
    spent = 0
  // Of a small program that is new to it an engine compiles more than there is to do.
  for (let i = 0; i < 3 || (i < 12 && spent < 500); i++) {
    const start = cpu()
    const program = compile(source, { files })
    if (!program.ok) throw new Error(`size ${n}: ${program.diagnostics[0].code} ${program.diagnostics[0].message}`)
    program.wgsl()
    const took = cpu() - start
    spent += took
    best = Math.min(best, took)
    if (best > 2000) break
  }
  return best
}

const all = { ...families, ...own }
const asked = process.argv.slice(2)
const unknown = asked.find(name => !(name in all))
if (unknown !== undefined) {
  console.error(`there is no family ${unknown}; there are ${Object.keys(all).join(', ')}`)
  process.exit(2)
}
// Engines compile what runs often.
for (let i = 0; i < 20; i++)
  for (const name of ['straight', 'branches', 'loops', 'fields']) compile(all[name].make(16)).wgsl()

console.log('| family | sizes | ms | exponent | second half |\n| --- | --- | --- | --: | --: |')
let over = 0
for (const [name, family] of Object.entries(all)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  const sizes = steps[name] ?? [1, 8, 64].map(k => k * starts[name])
  // Once for the engine, which compiles what a family is the first to need.
  for (const n of sizes) time(family, n)
  const times = sizes.map(n => time(family, n))
  const exponent = (a, b) => Math.log(times[b] / times[a]) / Math.log(sizes[b] / sizes[a])
  const whole = exponent(0, 2)
  if (whole > limit) over++
  console.log(
    `| ${name} | ${sizes.join(', ')} | ${times.map(t => t.toFixed(t < 10 ? 1 : 0)).join(', ')} | ${whole.toFixed(2)} | ${exponent(1, 2).toFixed(2)} |`,
  )
}
if (asked.length === 0 || asked.includes('straight')) {
  const source = families.straight.make(5000)
  const spans = range(5).map(() => {
    const start = performance.now()
    compile(source).wgsl()
    return performance.now() - start
  })
  console.log(`\n5,000 statements in a row: ${Math.min(...spans).toFixed(0)} ms of wall time`)
}
console.log(over === 0 ? `every exponent is at most ${limit}` : `${over} above ${limit}`)
