// Draws what the stages of a program make of triangles, as both compilers wrote them. A stage that stands alone gets another one:
// a fragment stage is fed by a vertex stage that makes values up, and what a vertex stage gives is shown by a fragment stage.
import { Module } from './layout.mjs'
import { alike, compareRuns, draw, ourSlots, peerSlots, untilWritten } from './run.mjs'

const wgslType = ({ kind, scalar, count }) => (kind === 'vector' && count > 1 ? `vec${count}<${scalar}>` : scalar)

/** WGSL's name for what a vertex shader takes at a location. */
const formatOf = ({ kind, scalar, count }) =>
  `${{ f32: 'float32', i32: 'sint32', u32: 'uint32' }[scalar] ?? 'float32'}${kind === 'vector' && count > 1 ? `x${count}` : ''}`

/** What is passed at locations. The keys say which contents belong together, wherever a compiler passes them. */
const located = list => list.filter(v => v.location !== null).map(v => ({ ...v, key: v.location }))

/** The same where the real compiler passes it. */
function moved(list, { code, entry }, side) {
  const places = new Module(code).locations(entry, side)
  return list.map(v => ({ ...v, location: places.get(v.name) ?? v.location }))
}

const buffersOf = inputs => inputs.map(i => ({ location: i.location, key: i.key, format: formatOf(i.type) }))
const lanes = type => (type.kind === 'vector' ? type.count : 1)
const attribute = v => `@location(${v.location})${v.interpolation === '' ? '' : ` @interpolate(${v.interpolation})`}`

const madeUp = `fn made_up(i: u32) -> f32 {
  var x = i * 747796405u + 2891336453u;
  x = ((x >> ((x >> 28u) + 4u)) ^ x) * 277803737u;
  return f32(((x >> 22u) ^ x) >> 8u) / 16777216.0;
}`

/** A vertex stage that gives a fragment stage what it takes. */
function feeding(inputs) {
  const value = v => {
    const one = i => `made_up(at * 64u + ${v.key * 4 + i}u)`
    const parts = Array.from({ length: lanes(v.type) }, (_, i) =>
      v.type.scalar.startsWith('f') ? `${v.type.scalar}(${one(i)})` : `${v.type.scalar}(${one(i)} * 8.0)`,
    )
    return `${wgslType(v.type)}(${parts.join(', ')})`
  }
  return `${inputs.some(v => v.type.scalar === 'f16') ? 'enable f16;\n' : ''}struct Given { @builtin(position) position: vec4f, ${inputs.map(v => `${attribute(v)} v${v.location}: ${wgslType(v.type)},`).join(' ')} }
${madeUp}
@vertex fn given(@builtin(vertex_index) at: u32) -> Given {
  return Given(vec4f(made_up(at * 64u + 60u) * 2.0 - 1.0, made_up(at * 64u + 61u) * 2.0 - 1.0, made_up(at * 64u + 62u), 1.0)${inputs.map(v => `, ${value(v)}`).join('')});
}`
}

/** A fragment stage that shows what a vertex stage gives. */
function showing(outputs) {
  const shown = outputs.map(v => {
    const parts = Array.from({ length: 4 }, (_, i) =>
      i < lanes(v.type) ? `f32(v.v${v.location}${lanes(v.type) > 1 ? `[${i}]` : ''})` : '0.0',
    )
    return `${v.key + 1}.0 * vec4f(${parts.join(', ')})`
  })
  const params = outputs.map(v => `${attribute(v)} v${v.location}: ${wgslType(v.type)},`).join(' ')
  return `${outputs.some(v => v.type.scalar === 'f16') ? 'enable f16;\n' : ''}${outputs.length > 0 ? `struct Taken { ${params} }\n` : ''}@fragment fn shown(${outputs.length > 0 ? 'v: Taken' : ''}) -> @location(0) vec4f {
  return ${['vec4f(0.5)', ...shown].join(' + ')};
}`
}

const merged = (...lists) => [...new Map(lists.flat().map(s => [`${s.group}:${s.binding}`, s])).values()]

/** What the graphics stages of a program draw; `theirs(stage, name)` finds the real compiler's module and name. */
export async function drawings(wgsl, theirs, settings, tolerance) {
  const { entries } = wgsl.reflection
  const vertices = entries.filter(e => e.stage === 'vertex')
  const fragments = entries.filter(e => e.stage === 'fragment')
  const pairs =
    vertices.length === 0
      ? fragments.map(f => [undefined, f])
      : fragments.length === 0
        ? vertices.map(v => [v, undefined])
        : fragments.map(f => [vertices[0], f])
  const kernels = []
  for (const [v, f] of pairs) {
    const name = [v?.name, f?.name].filter(n => n !== undefined).join(', ')
    const targets =
      f === undefined
        ? [{ location: 0, scalar: 'f32', count: 4 }]
        : located(f.outputs).map(o => ({ location: o.location, scalar: o.type.scalar, count: lanes(o.type) }))
    const depth = targets.length === 0 || f?.outputs.some(o => o.builtin === 'frag_depth') === true
    try {
      const passed = f === undefined ? located(v.outputs) : v === undefined ? located(f.inputs) : []
      const given = v === undefined ? [] : located(v.inputs)
      const fill = (stage, list) => ({
        code: stage === 'vertex' ? feeding(list) : showing(list),
        entry: stage === 'vertex' ? 'given' : 'shown',
      })
      const ownStages = [
        v === undefined ? fill('vertex', passed) : { code: wgsl.code, entry: v.target },
        f === undefined ? fill('fragment', passed) : { code: wgsl.code, entry: f.target },
      ]
      const theirV = v && theirs('vertex', v.name)
      const theirF = f && theirs('fragment', f.name)
      const vt = theirV ?? fill('vertex', moved(passed, theirF, 'in'))
      const ft = theirF ?? fill('fragment', moved(passed, theirV, 'out'))
      const theirSlots = merged(
        v === undefined ? [] : peerSlots(vt.code, vt.entry),
        f === undefined ? [] : peerSlots(ft.code, ft.entry),
      )
      const ownSlots = alike(ourSlots(wgsl, ...[v?.name, f?.name].filter(n => n !== undefined)), theirSlots)
      const run = async with_ => {
        const shape = { targets, depth }
        const inputs = buffersOf(given)
        const a = await draw({ vertex: ownStages[0], fragment: ownStages[1], inputs, ...shape }, ownSlots, with_)
        const there = v === undefined ? inputs : buffersOf(moved(given, vt, 'in'))
        const b = await draw({ vertex: vt, fragment: ft, inputs: there, ...shape }, theirSlots, with_)
        return compareRuns(a, b, tolerance)
      }
      kernels.push({ name, ...(await untilWritten(run, settings)) })
    } catch (err) {
      kernels.push({
        name,
        error: String(err.message ?? err)
          .replace(/\s+/g, ' ')
          .slice(0, 160),
      })
    }
  }
  return kernels
}
