/** Requests of our own and the lens, over standard input and output and in a worker. */
import { describe, expect, it } from 'vitest'
import type { CodeLens } from 'vscode-languageserver/node'
import type { DerivativeResult, ExplainResult } from '../../src/lsp/derivative.ts'
import type { CheckResult } from '../../src/lsp/verdicts.ts'
import { Client, places } from '../support/lsp-client.ts'

const uri = 'file:///a/one.slang'

/** `cube` is right, and `wrong` has a derivative that is not. */
const whole = `[Differentiable] float cube(float x) { return x * x * x; }
[Differentiable] float wrong(float x) { return 2.0 * helper(x); }
[Differentiable] float helper(float x) { return x * x; }
[ForwardDerivativeOf(helper)]
DifferentialPair<float> helper_fwd(DifferentialPair<float> x) { return diffPair(x.p * x.p, 5 * x.d); }
`

/** The place of a text in another. */
function placeIn(text: string, part: string): { line: number; character: number } {
  const before = text.slice(0, text.indexOf(part)).split('\n')
  return { line: before.length - 1, character: before.at(-1)!.length }
}

const variants = {
  'a whole document': whole,
  'a document in which a character of two units stands before': whole
    .split('\n')
    .map(line => `/* 𝛿 */ ${line}`)
    .join('\n'),
} as const

describe.each(places)('%s', place => {
  it.each(Object.entries(variants))('of %s', async (_, text) => {
    const client = await Client.start(place)
    await client.open(uri, text)
    const textDocument = { uri }
    const position = placeIn(text, 'x * x * x')

    for (const as of ['ir', 'wgsl', 'js'] as const) {
      for (const mode of ['primal', 'forward', 'reverse'] as const) {
        const made = await client.request<DerivativeResult>('cotangent/derivative', {
          textDocument,
          position,
          mode,
          as,
        })
        expect(made.name).toBe('cube')
        expect(made.text.split('\n').length).toBeGreaterThan(2)
        expect(made.links.length).toBeGreaterThan(0)
        for (const { from, to } of made.links) {
          // All of it comes from the one line of the function.
          expect(from.start.line).toBe(position.line)
          expect(from.start.character).toBeGreaterThanOrEqual(text.indexOf('[Differentiable]'))
          const line = made.text.split('\n')[to.start.line]!
          expect(line.slice(to.start.character, to.end.character).trim()).toBe(line.trim())
        }
      }
    }
    const staged = await client.request<DerivativeResult>('cotangent/derivative', {
      textDocument,
      position,
      mode: 'reverse',
      as: 'ir',
      stage: 'transposed',
    })
    expect(staged.text).toContain('func')

    const explained = await client.request<ExplainResult>('cotangent/explain', { textDocument, position })
    expect(explained.functions.map(f => f.name)).toEqual(['cube'])
    expect(explained.functions[0]!.range.start).toEqual(placeIn(text, 'cube'))
    expect((await client.request<ExplainResult>('cotangent/explain', { textDocument })).functions.length).toBe(3)

    const checked = await client.request<CheckResult>('cotangent/check', { textDocument, position, samples: 7 })
    expect(checked.verdicts).toMatchObject([
      { function: 'cube', state: 'agrees', title: 'derivatives agree at 7 inputs', inputs: 7 },
    ])
    const wrong = await client.request<CheckResult>('cotangent/check', { textDocument, functions: ['wrong'] })
    expect(wrong.verdicts).toMatchObject([
      {
        function: 'wrong',
        state: 'differs',
        parameter: 'x',
        blame: {
          message: expect.stringMatching(/^helper_fwd, the \w+ derivative of helper, is wrong: it gives/) as string,
          location: { uri, range: { start: placeIn(text, 'helper_fwd') } },
        },
      },
    ])
    const all = await client.request<CheckResult>('cotangent/check', { textDocument })
    expect(all.verdicts.map(v => [v.function, v.state])).toEqual([
      ['cube', 'agrees'],
      ['wrong', 'differs'],
      ['helper', 'differs'],
    ])
    expect(await client.request<CheckResult>('cotangent/check', { textDocument, functions: ['none'] })).toMatchObject({
      verdicts: [{ state: 'cannot', reason: 'there is no function none' }],
    })
    expect(await client.end()).toBe(0)
  })

  it('the lens asks for a check, runs it, and then jumps to the line that is to blame', async () => {
    const client = await Client.start(place)
    const shown: unknown[] = []
    const messages: string[] = []
    let refreshed = 0
    client.connection.onRequest('window/showDocument', (params: unknown) => {
      shown.push(params)
      return { success: true }
    })
    client.connection.onRequest('workspace/codeLens/refresh', () => {
      refreshed++
      return null
    })
    client.connection.onNotification('window/showMessage', ({ message }: { message: string }) => {
      messages.push(message)
    })
    await client.open(uri, whole)
    const lenses = (): Promise<CodeLens[]> => client.request('textDocument/codeLens', { textDocument: { uri } })
    const [cube, wrong, helper, ...others] = await lenses()
    expect(others).toEqual([])
    expect(helper!.range.start).toEqual(placeIn(whole, 'helper(float'))
    expect([cube!.range.start, wrong!.range.start]).toEqual([placeIn(whole, 'cube'), placeIn(whole, 'wrong')])
    expect(cube!.command!.title).toBe('check derivatives')
    for (const { command } of [cube!, wrong!])
      await client.request('workspace/executeCommand', { command: command!.command, arguments: command!.arguments })
    const [checked, failed] = await lenses()
    expect(checked!.command!.title).toBe('✓ derivatives agree at 20 inputs')
    expect(failed!.command!.title).toMatch(/^✗ the \w+ derivative is wrong along x$/)
    expect(messages.map(m => m.split(':')[0])).toEqual(['cube', 'wrong'])
    const blamed = { uri, selection: { start: placeIn(whole, 'helper_fwd') } }
    expect(shown).toMatchObject([blamed])
    await client.request('workspace/executeCommand', {
      command: failed!.command!.command,
      arguments: failed!.command!.arguments,
    })
    expect(shown).toMatchObject([blamed, blamed])
    expect(refreshed).toBeGreaterThan(1)
    // What is known belongs to the text as it was.
    await client.replace(uri, `\n${whole}`, 2)
    expect((await lenses()).map(l => l.command!.title)).toEqual(Array(3).fill('check derivatives'))
    client.settings = { cotangent: { codeLens: { check: false } } }
    await client.notify('workspace/didChangeConfiguration', { settings: null })
    let left = -1
    while (left !== 0) left = (await lenses()).length
    expect(await client.end()).toBe(0)
  })

  it('of a broken document say what is in the way, and show what can be shown', async () => {
    const client = await Client.start(place)
    const text = `/* 𝛿 */ float broken() { return missing; }\n[Differentiable] float f(float x) { return x * x; }\nint plain(int x) { return x; }\n`
    await client.open(uri, text)
    const textDocument = { uri }
    const at = (part: string): object => ({ textDocument, position: placeIn(text, part) })
    const show = { mode: 'reverse', as: 'js' }
    const shown = await client.request<DerivativeResult>('cotangent/derivative', { ...at('x * x'), ...show })
    expect(shown.text).toContain('function')
    // A mistake of syntax elsewhere does not matter either.
    await client.open('file:///a/two.slang', `${text}float f2(float x) { return x *; }\n`)
    const other = { ...at('x * x'), textDocument: { uri: 'file:///a/two.slang' }, ...show }
    expect((await client.request<DerivativeResult>('cotangent/derivative', other)).text).toBe(shown.text)
    expect(await client.refusal('cotangent/derivative', { ...at('missing'), ...show })).toMatchObject({
      code: -32803,
      message: 'broken has an error: undefined identifier missing',
    })
    expect(await client.refusal('cotangent/derivative', { ...at('return x; }\n'), ...show })).toMatchObject({
      code: -32803,
      data: { reasons: [{ text: 'plain is not marked [Differentiable]' }, {}, {}] },
    })
    expect(await client.refusal('cotangent/derivative', { ...at('/*'), ...show })).toMatchObject({
      message: 'no function with a body stands here',
    })
    expect((await client.request<ExplainResult>('cotangent/explain', at('x * x'))).functions[0]!.name).toBe('f')
    expect(await client.request('cotangent/check', at('x * x'))).toMatchObject({
      verdicts: [
        { function: 'f', state: 'cannot', reason: expect.stringContaining('the program has errors') as string },
      ],
    })
    expect(await client.refusal('cotangent/check', at('return x; }\n'))).toMatchObject({
      code: -32803,
      message: 'plain is not differentiable',
    })
    expect((await client.request<CodeLens[]>('textDocument/codeLens', { textDocument })).length).toBe(1)
    expect(await client.refusal('cotangent/check', { textDocument: { uri: 'file:///none.slang' } })).toMatchObject({
      message: 'file:///none.slang is not open',
    })
    expect(await client.end()).toBe(0)
  })
})

/** A function whose check takes long: each call makes many trips. */
const slow = `[Differentiable] float slow(float x) {
  float sum = 0;
  [MaxIters(1000000)] for (int i = 0; i < 1000000; i++) {
    float y = float(i) * 0.001;
    for (int k = 0; k < 3; k++) y = sin(y) + cos(y) * exp(-y * y) + sqrt(abs(y)) + tan(y) * 0.1 + atan(y) + log(1.0 + y * y);
    sum += detach(y) * x;
  }
  return sum;
}
`

describe.each(places)('%s: a check that takes long', place => {
  it('does not keep other requests waiting, and can be cancelled', async () => {
    const client = await Client.start(place)
    await client.open(uri, slow)
    const { CancellationTokenSource } = await import('vscode-languageserver/node')
    const source = new CancellationTokenSource()
    const check = client.request('cotangent/check', { textDocument: { uri } }, source.token).catch((e: unknown) => e)
    if (place === 'stdio') {
      // In a page without workers below workers, one input is a slice.
      const start = performance.now()
      await client.request('textDocument/codeLens', { textDocument: { uri } })
      expect(performance.now() - start).toBeLessThan(1000)
    }
    source.cancel()
    expect(await check).toMatchObject({ code: -32800 })
    expect(await client.end()).toBe(0)
  })

  it('is given up after the time that the setting allows', async () => {
    const client = await Client.start(place, { initializationOptions: { check: { timeLimit: 0.05 } } })
    await client.open(uri, slow)
    await client.diagnostics(uri)
    const check = client.request<CheckResult>('cotangent/check', { textDocument: { uri } })
    const outcome = await check.catch((error: unknown) => error)
    // In slices, an input that has begun is tried to its end, and may be all that there was time for.
    if (place === 'worker' && 'verdicts' in (outcome as object))
      expect((outcome as CheckResult).verdicts[0]!.inputs).toBeLessThan(5)
    else
      expect(outcome).toMatchObject({
        code: -32803,
        message: 'the check was given up after 0.05 seconds, as the setting cotangent.check.timeLimit asks',
      })
    await client.kill()
  })
})
