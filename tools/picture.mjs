// `npm run picture` makes docs/brdf.png, which README.md shows: what the demo `brdf` drew, side by side.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { PNG } from 'pngjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'picture-'))
try {
  execFileSync(process.execPath, [join(root, 'dist/cli.js'), 'demo', 'brdf', '-o', folder], { stdio: 'inherit' })
  const parts = ['truth', 'start', 'result'].map(name => PNG.sync.read(readFileSync(join(folder, `${name}.png`))))
  const { width, height } = parts[0]
  const gap = 12
  const all = new PNG({ width: parts.length * (width + gap) - gap, height, colorType: 6 })
  parts.forEach((part, i) => PNG.bitblt(part, all, 0, 0, width, height, i * (width + gap), 0))
  writeFileSync(join(root, 'docs/brdf.png'), PNG.sync.write(all, { colorType: 6 }))
} finally {
  rmSync(folder, { recursive: true })
}
