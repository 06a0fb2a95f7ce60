// What a step of a training loop costs through a bound kernel, beside the same step in hand-written WebGPU.
//   npm run bench:loop [-- --rounds 61] [--steps 1000] [--browser]
// `--browser` also asks a Chromium, by the environment variable CHROMIUM or /usr/bin/chromium. What counts is the ratio: 1 is no cost at all, 1.2 the goal.
import { build } from 'esbuild'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { writeCore } from '../tools/core-index.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '61' },
    steps: { type: 'string', default: '1000' },
    browser: { type: 'boolean', default: false },
  },
})
const settings = { rounds: Number(values.rounds), steps: Number(values.steps) }
if (!(settings.rounds >= 1) || !(settings.steps >= 1)) {
  console.error('usage: npm run bench:loop -- [--rounds N] [--steps N] [--browser]: numbers of 1 or more')
  process.exit(2)
}
const at = path => fileURLToPath(new URL(`../${path}`, import.meta.url))

writeCore()
const folder = mkdtempSync(at('node_modules/.loop-'))
const outfile = join(folder, 'steps.mjs')

function show(where, rows) {
  console.log(
    `\n${where}: microseconds a step, median of ${settings.rounds} rounds of ${settings.steps} steps in turns\n`,
  )
  console.log('| steps | by hand | bound kernel | ratio |\n|---|--:|--:|--:|')
  for (const { name, hand, bound, ratio } of rows)
    console.log(`| ${name} | ${hand.toFixed(1)} | ${bound.toFixed(1)} | ${ratio.toFixed(2)} |`)
}

async function inNode() {
  const { create } = await import('webgpu')
  const gpu = create([])
  const adapter = await gpu.requestAdapter()
  if (adapter === null) throw new Error('no WebGPU adapter: CONTRIBUTING.md says what the tests of WebGPU need')
  const device = await adapter.requestDevice()
  const { measure } = await import(pathToFileURL(outfile).href)
  show(
    `Dawn in Node ${process.version}, ${adapter.info?.description ?? 'unknown adapter'}`,
    await measure(device, settings),
  )
  // Dawn stops when the object that made it is collected.
  return gpu
}

async function inBrowser() {
  const { launchChromium } = await import('../tools/chromium.mjs')
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    // Pages have WebGPU in secure contexts only. Nothing is asked of the network: these answers are the page.
    await page.route('https://loop.test/**', route =>
      route.request().url().endsWith('.mjs')
        ? route.fulfill({ contentType: 'text/javascript', body: readFileSync(outfile, 'utf8') })
        : route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
    )
    await page.goto('https://loop.test/')
    const rows = await page.evaluate(async given => {
      const adapter = await navigator.gpu?.requestAdapter()
      if (!adapter) throw new Error('this browser has no WebGPU adapter')
      const { measure } = await import('https://loop.test/steps.mjs')
      return measure(await adapter.requestDevice(), given)
    }, settings)
    show(`Chromium ${browser.version()}`, rows)
  } finally {
    await browser.close()
  }
}

let status = 0
try {
  await build({
    entryPoints: [at('bench/loop-steps.mjs')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    logLevel: 'error',
  })
  const kept = await inNode()
  if (values.browser) await inBrowser()
  status = kept === undefined ? 1 : 0
} catch (mistake) {
  console.error(mistake instanceof Error ? mistake.message : mistake)
  status = 1
} finally {
  rmSync(folder, { recursive: true })
}
process.exit(status)
