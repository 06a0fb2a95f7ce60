// An esbuild plugin: leaves out of bundles what only tests and readers of the source need: the example programs of the
// diagnostics, what the rows of the op table say of themselves, and at which arguments the library is tested.
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { coreSources } from './core-index.mjs'

/** The index after a string, template or bracket that starts at `i`, or after one character. */
function skip(text, i) {
  const open = text[i]
  if (open === "'" || open === '"' || open === '`') {
    for (let k = i + 1; k < text.length; k++) {
      if (text[k] === '\\') k++
      else if (text[k] === open) return k + 1
      else if (open === '`' && text[k] === '$' && text[k + 1] === '{') k = skip(text, k + 1) - 1
    }
    throw new Error('string without end')
  }
  const close = { '(': ')', '[': ']', '{': '}' }[open]
  if (close === undefined) return i + 1
  let k = i + 1
  while (text[k] !== close) {
    if (k >= text.length) throw new Error(`${open} without ${close}`)
    k = skip(text, k)
  }
  return k + 1
}

/** The text without a property and its values. */
function without(text, property) {
  let out = '', at = 0
  for (const found of text.matchAll(new RegExp(`\\b${property}: `, 'g'))) {
    const start = found.index + found[0].length
    // A parameter of that name has a type, not a value.
    if (found.index < at || /\w/.test(text[start])) continue
    let end = start
    while (end < text.length && text[end] !== ',' && text[end] !== '}' && text[end] !== '\n') end = skip(text, end)
    out += text.slice(at, found.index)
    at = text[end] === ',' ? end + 1 : end
  }
  return out + text.slice(at)
}

export const stripExamples = {
  name: 'strip-examples',
  setup(build) {
    const strip = (filter, ...properties) => build.onLoad({ filter }, async ({ path }) => ({ contents: properties.reduce(without, await readFile(path, 'utf8')), loader: 'ts' }))
    strip(/[\\/]base[\\/]errors[\\/]\w+\.ts$/, 'example')
    strip(/[\\/](ir[\\/]ops|wgsl[\\/]legal)\.ts$/, 'doc', 'samples')
    build.onLoad({ filter: /[\\/]core[-\w]*\.generated\.ts$/ }, ({ path }) => ({ contents: coreSources(false)[basename(path)], loader: 'ts' }))
  },
}
