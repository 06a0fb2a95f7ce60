/**
 * What every language server has, over standard input and output and in a worker: on a whole document, on a broken one, and on one in which a
 * character of two UTF-16 units stands before.
 */
import { describe, expect, it } from 'vitest'
import type { Hover, MarkupContent } from 'vscode-languageserver/node'
import { Client, capable, places } from '../support/lsp-client.ts'

const uri = 'file:///a/main.slang'

/** The program of all tests. */
const whole = `/// The kinetic energy of a ball.
[Differentiable]
float energy(float mass, float speed) { return 0.5 * mass * speed * speed; }

struct Ball { float mass; float radius; }

float total(Ball ball) {
  let twice = energy(ball.mass, 2.0);
  return twice + ball.radius;
}
`

const documents = {
  'a whole document': whole,
  'a document with a character of two units before': whole.replace(/^(?=float|struct| {2}|\})/gm, '/* 𝛿 */ '),
  'a broken document': `${whole}\nfloat broken(float x) { return x +; }\nfloat wrong() { return missing; }\nstruct Open { float a`,
} as const

/** The place of the n-th time that a text stands in another, and of an offset in it. */
function placeIn(text: string, part: string, n = 0, offset = 0): { line: number; character: number } {
  let at = -1
  for (let i = 0; i <= n; i++) at = text.indexOf(part, at + 1)
  expect(at, part).toBeGreaterThanOrEqual(0)
  const before = text.slice(0, at + offset).split('\n')
  return { line: before.length - 1, character: before.at(-1)!.length }
}

describe.each(places)('%s', place => {
  describe.each(Object.entries(documents))('%s', (_, text) => {
    const textDocument = { uri }
    const opened = async (): Promise<Client> => {
      const client = await Client.start(place)
      await client.open(uri, text)
      return client
    }

    it('textDocument/hover', async () => {
      const client = await opened()
      const at = (part: string, n = 0): Promise<Hover | null> =>
        client.request('textDocument/hover', { textDocument, position: placeIn(text, part, n, 1) })
      const energy = await at('energy(ball')
      expect(energy!.range!.start).toEqual(placeIn(text, 'energy(ball'))
      const { kind, value } = energy!.contents as MarkupContent
      expect(kind).toBe('markdown')
      expect(value).toContain('float energy(float mass, float speed)')
      expect(value).toContain('The kinetic energy of a ball.')
      expect(await at('{ return')).toBeNull()
      expect(await client.end()).toBe(0)
    })
  })

  it('answers nothing for documents that are not open, and for places outside', async () => {
    const client = await Client.start(place)
    const ask = (method: string, position: object): Promise<unknown> =>
      client.request(method, { textDocument: { uri }, position })
    expect(await ask('textDocument/hover', { line: 0, character: 0 })).toBeNull()
    await client.open(uri, whole)
    expect(await ask('textDocument/hover', { line: 9999, character: 9999 })).toBeNull()
    await client.notify('textDocument/didClose', { textDocument: { uri } })
    expect(await ask('textDocument/hover', placeIn(whole, 'energy'))).toBeNull()
    expect(await client.end()).toBe(0)
  })

  it('shows plain text to clients that know no Markdown', async () => {
    const { hover: _, ...others } = capable.textDocument!
    const client = await Client.start(place, { capabilities: { ...capable, textDocument: others } })
    await client.open(uri, whole)
    const position = placeIn(whole, 'energy(ball')
    const found = await client.request<Hover>('textDocument/hover', { textDocument: { uri }, position })
    const { kind, value } = found.contents as MarkupContent
    expect(kind).toBe('plaintext')
    expect(value).not.toMatch(/[`*]/)
    expect(await client.end()).toBe(0)
  })
})
