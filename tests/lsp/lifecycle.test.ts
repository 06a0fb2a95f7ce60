/** From `initialize` to `exit`, over standard input and output and in a worker. */
import { describe, expect, it } from 'vitest'
import { Client, places } from '../support/lsp-client.ts'

describe.each(places)('%s', place => {
  it('says what the server can do, and ends with 0 after shutdown and exit', async () => {
    const client = Client.raw(place)
    const { serverInfo, capabilities } = await client.initialize()
    expect(serverInfo?.name).toBe('cotangent')
    expect(capabilities.positionEncoding).toBe('utf-16')
    expect(await client.end()).toBe(0)
  })

  it('says what is wrong, with its version, and that nothing is once it is mended', async () => {
    const client = await Client.start(place)
    const uri = 'file:///a/one.slang'
    const text = '/* 𝛿 */ float f(float x) { return y; }\n'
    const at = text.indexOf('y')
    await client.open(uri, text, 7)
    expect(await client.diagnostics(uri, 7)).toEqual({
      uri,
      version: 7,
      diagnostics: [
        {
          range: { start: { line: 0, character: at }, end: { line: 0, character: at + 1 } },
          severity: 1,
          code: 'E30015',
          source: 'cotangent',
          message: 'undefined identifier y\nhelp: declare it, import the module that does, or mend the spelling',
        },
      ],
    })
    await client.notify('textDocument/didChange', {
      textDocument: { uri, version: 8 },
      contentChanges: [
        { range: { start: { line: 0, character: at }, end: { line: 0, character: at + 1 } }, text: 'x' },
      ],
    })
    expect((await client.diagnostics(uri, 8)).diagnostics).toEqual([])
    expect(await client.end()).toBe(0)
  })
})
