/** The playground in Chromium, as it is built. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { toHash } from '../playground/project/codec.ts'
import { projectOf, type Project } from '../playground/project/project.ts'
import { dist, part, siteOfTests, textOf, typed } from './browser.ts'
import { fastest } from './fastest.ts'
import { shared } from './pane-page.ts'

const site = siteOfTests()

/** The playground with a project, or with the first one. */
async function opened(project?: Project): Promise<Page> {
  const { page } = await site.open(`/playground/${project === undefined ? '' : await toHash(project)}`)
  return page
}

/** Waits for the status to say something. */
async function said(page: Page, what: RegExp, timeout = 30_000): Promise<string> {
  await page.waitForFunction(
    ([source, flags]) =>
      new RegExp(source!, flags).test(document.querySelector('[data-testid="status"]')?.textContent ?? ''),
    [what.source, what.flags],
    { timeout },
  )
  return await textOf(page, 'status')
}

/** Pixels of the picture as it is on the page, as RGBA. */
async function pixels(page: Page): Promise<number[]> {
  return await page.evaluate(() => {
    const shown = document.querySelector<HTMLCanvasElement>('[data-testid="canvas"]')!
    const copy = document.createElement('canvas')
    ;[copy.width, copy.height] = [shown.width, shown.height]
    const context = copy.getContext('2d')!
    context.drawImage(shown, 0, 0)
    return [...context.getImageData(0, 0, copy.width, copy.height).data]
  })
}

const picture = `import playground;
import rendering;

[shader("compute")]
[numthreads(8, 8, 1)]
[playground::CALL::SIZE_OF("outputTexture")]
void draw(uint2 pixel : SV_DispatchThreadID)
{
    drawPixel(pixel, (int2 size) => float4(float(pixel.x) / size.x, float(pixel.y) / size.y, sin(float(pixel.x) * 0.3) * 0.5 + 0.5, 1));
}
`
const small = (text: string, more: Partial<Project> = {}): Project => ({ ...projectOf(text), size: [64, 48], ...more })

describe('the editor', () => {
  it('shows the code of a mistake, and forgets it once it is mended', async () => {
    const page = await opened(small(picture))
    await said(page, /^Ran on WebGPU/)
    await typed(page, picture.replace('float4(float(', 'float4(flot('))
    await page.waitForFunction(() =>
      /E\d{5}/.test(document.querySelector('[data-testid="diagnostics"]')?.textContent ?? ''),
    )
    expect(await textOf(page, 'diagnostics')).toMatch(/E30015.*flot.*main\.slang:9:/)
    await page.waitForSelector('.cm-lintRange-error')
    await typed(page, picture)
    await page.waitForFunction(() => document.querySelector('[data-testid="diagnostics"]')?.textContent === '')
    await said(page, /^Ran on WebGPU/)
  })

  it('draws colours, hints and lenses, and completes', async () => {
    const page = await opened(
      small(
        '[Differentiable] float square(float base) { let r = base * base; return r; }\nfloat twice(float x) { return square(x); }\n',
      ),
    )
    await page.waitForSelector('.lens button')
    await page.waitForSelector('.hint')
    await page.waitForSelector('.tok-parameter')
    expect(await page.locator('.lens').textContent()).toMatch(/check derivatives/)
    expect((await page.locator('.hint').allTextContents()).join()).toMatch(/: float/)
    await part(page, 'editor').locator('.cm-content').click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('float f() { return squ')
    await page.waitForSelector('.cm-tooltip-autocomplete')
    expect(await page.locator('.cm-tooltip-autocomplete').textContent()).toMatch(/square/)
  })

  it('mends a mistake by the action that the server offers', async () => {
    const page = await opened(small('float three(float value) { return valu * 3; }\n'))
    await page.waitForSelector('.cm-lintRange-error')
    await page.locator('.cm-lintRange-error').click()
    await page.keyboard.press('Control+.')
    await page.locator('.actions button').first().click()
    await page.waitForFunction(() => document.querySelector('[data-testid="diagnostics"]')?.textContent === '')
    expect(await part(page, 'editor').locator('.cm-content').textContent()).toMatch(/return value \* 3/)
  })

  it('has several files, which import each other', async () => {
    const page = await opened(small(picture))
    await said(page, /^Ran/)
    await part(page, 'add-file').click()
    await part(page, 'file-name').fill('shade.slang')
    await page.keyboard.press('Enter')
    await typed(page, 'module shade;\npublic float4 shade(float x) { return float4(x, 0.5, 0, 1); }\n')
    await part(page, 'file-main.slang').click()
    await typed(page, `import shade;\n${picture.replace(/=> .*\);/, '=> shade(1.0));')}`)
    await expect.poll(async () => (await pixels(page)).slice(0, 4)).toEqual([255, 128, 0, 255])
    expect(await textOf(page, 'diagnostics')).toBe('')
  })
})

describe('running', () => {
  it('draws the same picture on WebGPU and on the CPU', async () => {
    const page = await opened(small(picture))
    await said(page, /^Ran on WebGPU/)
    expect(await textOf(page, 'backend')).toBe('WebGPU')
    const device = await pixels(page)
    expect(device.length).toBe(64 * 48 * 4)
    expect(device.slice(-4)).toEqual([
      Math.round((63 / 64) * 255),
      Math.round((47 / 48) * 255),
      expect.any(Number),
      255,
    ])
    await part(page, 'backend-switch').click()
    await said(page, /^Ran on the CPU/)
    expect(await textOf(page, 'backend')).toBe('CPU')
    const host = await pixels(page)
    // WGSL allows sines to differ a little, and rounding to eight bits to differ by one.
    expect(Math.max(...host.map((n, i) => Math.abs(n - device[i]!)))).toBeLessThanOrEqual(1)
  })

  it('draws with fragment shaders, and says that the CPU does not', async () => {
    const source =
      'uniform float3 tint;\n[shader("fragment")] float4 shade(float2 uv : TEXCOORD0) : SV_Target { return float4(uv, tint.x, 1); }\n'
    const page = await opened(small(source))
    await said(page, /^Ran on WebGPU/)
    const drawn = await pixels(page)
    expect(drawn.slice(0, 4)).toEqual([2, 3, 0, 255])
    expect(drawn.slice(-4)).toEqual([253, 252, 0, 255])
    await part(page, 'backend-switch').click()
    expect(await said(page, /fragment/)).toMatch(/shade is a fragment shader, and those run on WebGPU only/)
  })

  it.each(['auto', 'cpu'] as const)('shows buffers and printed text (%s)', async backend => {
    const source = `import playground;
import printing;
static const int N = 4;
struct P { float2 at; uint id; };
[playground::ZEROS(N * 2)] RWStructuredBuffer<P> points;
[playground::CALL::SIZE_OF("points")] [shader("compute")] [numthreads(4, 1, 1)]
[playground::CALL::ONCE]
void main(uint3 i : SV_DispatchThreadID)
{
    points[i.x] = { float2(i.x, 0.5), i.x * 3 };
    if (i.x == 1) print("%d is %.2f and %s\\n", int(i.x), 0.25, "text");
    if (i.x == 1) printf("also %u\\n", i.x);
}
`
    const page = await opened(small(source, { backend }))
    await said(page, /^Ran on/)
    await part(page, 'buffer-points').locator('summary').click()
    await expect.poll(() => part(page, 'buffer-points').locator('thead').textContent()).toBe('at.xat.yid')
    expect(await part(page, 'buffer-points').locator('tbody tr').allTextContents()).toEqual(
      Array.from({ length: 8 }, (_, i) => `${i}${i}0.5${i * 3}`),
    )
    await expect.poll(() => textOf(page, 'printed')).toMatch(/also 1/)
    expect(await textOf(page, 'printed')).toMatch(/1 is 0\.25 and text/)
  })

  it('animates, and takes controls', async () => {
    const source = `import playground;
[playground::FRAME_ID] uniform uint number;
[playground::SLIDER(0.5, 0.0, 1.0)] uniform float level;
[playground::ZEROS(2)] RWStructuredBuffer<float> x;
[playground::CALL(1, 1, 1)] [shader("compute")] [numthreads(1, 1, 1)]
void main() { x[0] = number; x[1] = level; }
`
    const page = await opened(small(source))
    await said(page, /^Runs on WebGPU/)
    await part(page, 'buffer-x').locator('summary').click()
    const cell = (i: number) => part(page, 'buffer-x').locator('td').nth(i)
    await expect.poll(async () => Number(await cell(0).textContent()), { timeout: 10_000 }).toBeGreaterThan(5)
    expect(await cell(1).textContent()).toBe('0.5')
    await part(page, 'control-level').fill('0.75')
    await expect.poll(() => cell(1).textContent()).toBe('0.75')
  })

  it('says that a program of functions only has nothing to run', async () => {
    const page = await opened(small('export float square(float x) { return x * x; }\n'))
    await said(page, /^Compiled in \d+ ms\. The program has functions only/)
  })

  it('refuses addresses of other hosts with a clear message', async () => {
    const source = `import playground;
import rendering;
[playground::URL("https://example.com/a.png")] Texture2D<float4> photo;
[playground::CALL::SIZE_OF("outputTexture")] [shader("compute")] [numthreads(8, 8, 1)]
void main(uint2 i : SV_DispatchThreadID) { drawPixel(i, (int2 size) => photo[i]); }
`
    const page = await opened(small(source))
    expect(await said(page, /asks no other host/)).toMatch(
      /^\[playground::URL\] of photo: this page asks no other host/,
    )
    expect(await textOf(page, 'diagnostics')).toMatch(/photo.*main\.slang:3:1/)
  })

  it.each(['cpu', 'auto'] as const)(
    'ends a program that hangs within five seconds, and runs the next one (%s)',
    async backend => {
      const source = (end: string): string =>
        `RWStructuredBuffer<uint> x;\n[shader("compute")] [numthreads(1, 1, 1)]\nvoid main() { uint i = x[0]; while (i < ${end}) { i = x[1] == 1 ? i : (i + 1) % 50; x[2] = i; } x[3] = ${end}; }\n`
      const page = await opened(small(source('10'), { backend }))
      await said(page, backend === 'cpu' ? /^Ran on the CPU/ : /^Ran on WebGPU/)
      const took = await fastest(5000, async () => {
        const begin = performance.now()
        await typed(page, source('100'))
        await said(page, /did not come to an end/)
        const end = performance.now()
        await typed(page, source('11'))
        await said(page, /^Ran on/)
        return end - begin
      })
      expect(took).toBeLessThan(5000)
      await part(page, 'buffer-x').locator('summary').click()
      await expect.poll(() => part(page, 'buffer-x').locator('td').nth(3).textContent()).toBe('11')
    },
  )
})

it('a lost device is followed by another one, without being asked', async () => {
  const page = await opened(small(picture))
  await said(page, /^Ran on WebGPU/)
  await page.evaluate(() => {
    const seen: string[] = []
    Object.assign(globalThis, { seen })
    const status = document.querySelector('[data-testid="status"]')!
    new MutationObserver(() => seen.push(status.textContent)).observe(status, { childList: true })
  })
  const session = await site.browser.newBrowserCDPSession()
  await session.send('Browser.crashGpuProcess')
  const seen = (): Promise<string[]> => page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen)
  await expect.poll(async () => (await seen()).join('\n'), { timeout: 15_000 }).toMatch(/^Running …\nRan on WebGPU/)
  await said(page, /^Ran on WebGPU/)
  expect((await pixels(page)).slice(-4, -2)).toEqual([251, 250])
  // The browser may write of the crash to the console.
  await site.closePages()
})

describe('links', () => {
  it('bring back what was shared', async () => {
    const page = await opened(small(picture))
    await said(page, /^Ran/)
    await typed(page, picture.replace('0.3', '0.7'))
    const url = (await shared(page)).href
    expect(url).toMatch(/#1=[\w-]+$/)
    const { page: again } = await site.open(url)
    await said(again, /^Ran on WebGPU/)
    expect(await part(again, 'editor').locator('.cm-content').innerText()).toContain('0.7')
  })

  it('that are damaged say so, and the page works', async () => {
    const page = await opened()
    await page.goto('about:blank')
    await page.goto(`${site.address}/playground/#1=AAAA`)
    await said(page, /damaged|^Ran/)
    await said(page, /^Ran on WebGPU/)
  })
})

it('the page and the editor are at most 400 KB, and the first result comes within two seconds', async () => {
  let page = await opened()
  await said(page, /^Ran on WebGPU/)
  const first = await fastest(2000, async () => {
    await page.close()
    const begin = performance.now()
    page = await opened()
    await said(page, /^Ran on WebGPU/)
    return performance.now() - begin
  })
  const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(r => new URL(r.name).pathname))
  const names = loaded.map(path => path.replace(/^\/playground\//, '')).filter(name => !/worker/.test(name))
  expect(names.some(n => n.endsWith('.js'))).toBe(true)
  const bytes = ['index.html', ...new Set(names)].map(
    name => gzipSync(readFileSync(join(dist, 'playground', name))).length,
  )
  const total = bytes.reduce((a, b) => a + b)
  const workers = readdirSync(join(dist, 'playground/assets')).filter(
    name => /worker|lsp-check/.test(name) && name.endsWith('.js'),
  )
  console.log(`page and editor: ${total} bytes; first result: ${first.toFixed(0)} ms`)
  for (const name of workers)
    console.log(`${name}: ${gzipSync(readFileSync(join(dist, 'playground/assets', name))).length} bytes`)
  expect(total).toBeLessThan(400_000)
  expect(first).toBeLessThan(2000)
})
