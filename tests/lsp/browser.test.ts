/** The worker in a browser: the package's own files, as a page loads them without a bundler. */
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../../tools/chromium.mjs'

const dist = join(import.meta.dirname, '../../dist')

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(async () => {
  await browser.close()
})

/** A page with a worker that serves it, where files of some names are missing. Gives the page and the names that were asked for. */
async function opened(
  missing: RegExp,
): Promise<{ readonly page: Page; readonly asked: string[]; readonly close: () => Promise<void> }> {
  const asked: string[] = []
  // Workers of workers do not ask through the page, so it is no page's routes that answer them.
  const server = createServer(({ url = '' }, response) => {
    const name = url.slice(1)
    asked.push(name)
    const body =
      name === ''
        ? '<!doctype html>'
        : name === 'worker.js'
          ? "import { serve } from './lsp.js'\nserve()"
          : missing.test(name) || !existsSync(join(dist, name))
            ? undefined
            : readFileSync(join(dist, name))
    response.writeHead(body === undefined ? 404 : 200, {
      'content-type': name === '' ? 'text/html' : 'text/javascript',
    })
    response.end(body)
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await page.evaluate(() => {
    const worker = new Worker('/worker.js', { type: 'module' })
    const waiting = new Map<number, (message: unknown) => void>()
    let last = 0
    worker.onmessage = ({ data }: MessageEvent<{ id?: number; method?: string }>) => {
      if (data.id !== undefined && data.method === undefined) waiting.get(data.id)?.(data)
    }
    Object.assign(globalThis, {
      tell: (method: string, params: unknown) => worker.postMessage({ jsonrpc: '2.0', method, params }),
      ask: (method: string, params: unknown) =>
        new Promise(done => {
          waiting.set(++last, done)
          worker.postMessage({ jsonrpc: '2.0', id: last, method, params })
        }),
    })
  })
  const close = async (): Promise<void> => {
    await page.close()
    server.closeAllConnections()
    server.close()
  }
  return { page, asked, close }
}

declare const ask: (method: string, params: unknown) => Promise<{ result: unknown }>
declare const tell: (method: string, params: unknown) => void

const slow = `[Differentiable] float slow(float x) {
  float sum = 0;
  [MaxIters(400000)] for (int i = 0; i < 400000; i++) sum += no_diff(sin(float(i))) * x;
  return sum;
}
`

describe('in Chromium', () => {
  it.each([
    ['with a worker below the worker', /^$/],
    ['in slices, where that worker cannot be loaded', /^lsp-check\.js$/],
  ])('checks %s, and answers meanwhile', async (_, missing) => {
    const { page, asked, close } = await opened(missing)
    const found = await page.evaluate(async text => {
      const textDocument = { uri: 'file:///a.slang' }
      await ask('initialize', { processId: null, rootUri: null, capabilities: {} })
      tell('initialized', {})
      tell('textDocument/didOpen', { textDocument: { ...textDocument, languageId: 'slang', version: 1, text } })
      let isChecked = false
      const check = ask('cotangent/check', { textDocument, samples: 5 }).then(answer => {
        isChecked = true
        return answer
      })
      const position = { line: 0, character: 25 }
      const hover = await ask('textDocument/hover', { textDocument, position })
      const hoverCame = isChecked ? 'after' : 'before'
      return { hover: hover.result, hoverCame, check: (await check).result }
    }, slow)
    expect(JSON.stringify(found.hover)).toContain('float slow(float x)')
    expect(found.hoverCame).toBe('before')
    expect(found.check).toMatchObject({ verdicts: [{ function: 'slow', state: 'agrees', inputs: 5 }] })
    expect(asked).toContain('lsp-check.js')
    // The worker below loads the compiler for itself.
    const shared = asked.find(name => name.startsWith('chunk-'))
    expect(asked.filter(name => name === shared).length).toBe(missing.test('lsp-check.js') ? 1 : 2)
    await close()
  })
})
