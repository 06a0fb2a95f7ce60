// The page of the gallery: its programs, and the tables in it, from recorded numbers.

/** The programs of the page, by name. */
export function programsOf(page) {
  return Object.fromEntries(
    [...page.matchAll(/```hlsl\n\/\/ (\w+)\.slang\n([^]*?)```/g)].map(([, name, source]) => [name, source]),
  )
}

/** A number as the tables show it. */
export function shown(x) {
  if (!Number.isFinite(x)) return String(x)
  return String(Number(x.toPrecision(5)))
}

/** Whether a number is right: within the rounding of float32, and what WGSL allows of sines. */
export const isRight = (x, hand) => Math.abs(x - hand) <= 2e-3 * Math.max(Math.abs(hand), 0.01)

/** What a cell shows: the number, in bold where it is wrong. */
const cell = (x, hand) => (isRight(x, hand) ? shown(x) : `**${shown(x)}**`)

/** Why there is no number, as a sentence. */
const reason = refused =>
  refused.startsWith('died: ')
    ? `Slang's compiler ends with an internal error: \`${refused.slice(6).replace(/[: ]+$/, '')}\`.`
    : `Slang's compiler gives no number: \`${refused}\`.`

function table({ names, hand }, { ours, theirs }) {
  const rows = names.map((name, i) => {
    const mine = ['webgpu', 'wasm', 'js'].map(target => cell(ours[target][i], hand[i]))
    const other = theirs.numbers === undefined ? 'none' : cell(theirs.numbers[i], hand[i])
    return `| ${name} | ${shown(hand[i])} | ${mine.join(' | ')} | ${other} |`
  })
  return [
    '| | by hand | Cotangent, WebGPU | WebAssembly | JavaScript | Slang 2025.15, WebGPU |',
    '|---|--:|--:|--:|--:|--:|',
    ...rows,
    ...(theirs.refused === undefined ? [] : ['', `${reason(theirs.refused)}`]),
  ].join('\n')
}

/** The page with the tables of recorded numbers; a wrong number is bold. */
export function filled(page, programs, recorded) {
  return page.replace(/(<!-- gallery: (\w+) -->\n)[^]*?(<!-- \/gallery -->)/g, (_, open, name, close) =>
    recorded[name] === undefined || programs[name] === undefined
      ? `${open}${close}`
      : `${open}\n${table(programs[name], recorded[name])}\n\n${close}`,
  )
}
