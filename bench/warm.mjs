// Prints how many milliseconds the second compile of a program takes in this process.
//   node bench/warm.mjs cotangent|peer FILE
import { readFileSync } from 'node:fs'

const [who, path] = process.argv.slice(2)
const source = readFileSync(path, 'utf8')
const compile =
  who === 'peer'
    ? await import('./peer.mjs').then(m => m.loadPeer())
    : await import('../dist/index.js').then(m => text => m.compile(text, { fileName: 'main.slang' }).wgsl().code)
compile(source, 'first')
const start = performance.now()
compile(source, 'second')
console.log(performance.now() - start)
process.exit(0)
