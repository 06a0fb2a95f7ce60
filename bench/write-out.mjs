// Writes out the loops of hand-written WGSL that count to a constant, as somebody does by hand to keep small arrays in registers.

/** Loops of at most so many trips become copies of their bodies. Those that leave early stay loops, but what is in them is written out. */
export function writeOut(wgsl, trips) {
  const constants = new Map([...wgsl.matchAll(/const (\w+) = (\d+)u?;/g)].map(([, name, value]) => [name, value]))
  const head = /for \(var (\w+) = (\d+)(u?); \1 < (\w+); \1\+\+\) \{/
  const inside = text => {
    const found = head.exec(text)
    if (found === null) return text
    const [whole, counter, first, suffix, limit] = found
    const start = found.index + whole.length
    const end = closing(text, start)
    const before = text.slice(0, found.index)
    const after = inside(text.slice(end + 1))
    const last = Number.parseInt(constants.get(limit) ?? limit, 10)
    const body = text.slice(start, end)
    if (!(last - Number(first) <= trips) || /\b(break|continue)\b/.test(body))
      return `${before}${whole}${inside(body)}}${after}`
    let copies = ''
    // The counter becomes a number before inner loops are looked at, since these may count to it.
    for (let i = Number(first); i < last; i++)
      copies += `{${inside(body.replaceAll(new RegExp(`\\b${counter}\\b`, 'g'), `${i}${suffix}`))}}\n`
    return before + copies + after
  }
  return inside(wgsl)
}

/** The place of the brace that closes what is open at `from`. */
function closing(text, from) {
  let at = from
  for (let depth = 1; ; at++) {
    if (text[at] === '{') depth++
    if (text[at] === '}' && --depth === 0) return at
  }
}
