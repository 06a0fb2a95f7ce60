/** From `initialize` to `exit`, over standard input and output and in a worker; and clients that do what they should not. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandLine } from '../support/command-line.ts'
import { capable, Client, places } from '../support/lsp-client.ts'

const { call, root } = commandLine()
const uri = 'file:///a/one.slang'

describe.each(places)('%s', place => {
  it('says what the server can do, and ends with 0 after shutdown and exit', async () => {
    const client = Client.raw(place)
    const { serverInfo, capabilities } = await client.initialize()
    expect(serverInfo?.name).toBe('cotangent')
    expect(serverInfo?.version).toMatch(/^\d+\.\d+\.\d+/)
    expect(capabilities.positionEncoding).toBe('utf-16')
    expect(capabilities.textDocumentSync).toMatchObject({ openClose: true, change: 2 })
    expect(capabilities.workspace?.workspaceFolders).toEqual({ supported: true, changeNotifications: true })
    expect(await client.end()).toBe(0)
  })

  it('asks for nothing before initialize is answered', async () => {
    const client = Client.raw(place)
    const asked: string[] = []
    for (const method of ['workspace/codeLens/refresh', 'workspace/inlayHint/refresh'])
      client.connection.onRequest(method, () => {
        asked.push(method)
        return null
      })
    await client.request('initialize', { processId: null, rootUri: null, capabilities: capable })
    expect(asked).toEqual([])
    await client.notify('initialized', {})
    await expect.poll(() => asked.length).toBe(2)
    expect(await client.end()).toBe(0)
  })

  it('says what is wrong with initialize, and takes the next one', async () => {
    const client = Client.raw(place)
    const given = { processId: null, rootUri: null, capabilities: {} }
    for (const [wrong, message] of [
      [{ workspaceFolders: 5 }, /^params\.workspaceFolders must be a list, but is number$/],
      [{ workspaceFolders: [{}] }, /^params\.workspaceFolders\[0\]\.uri must be a string/],
      [{ capabilities: 'all' }, /^params\.capabilities must be an object/],
    ] as const)
      expect(await client.refusal('initialize', { ...given, ...wrong })).toMatchObject({
        code: -32602,
        message: expect.stringMatching(message) as string,
      })
    await client.request('initialize', given)
    await client.notify('initialized', {})
    await client.open(uri, 'float f(float x) { return x; }\n')
    expect(await client.end()).toBe(0)
  })

  it('answers nothing before initialize and nothing after shutdown', async () => {
    const client = Client.raw(place)
    expect(await client.refusal('textDocument/codeLens', { textDocument: { uri } })).toMatchObject({ code: -32002 })
    await client.initialize()
    expect(await client.refusal('initialize', { processId: null, rootUri: null, capabilities: {} })).toMatchObject({
      code: -32600,
    })
    await client.request('shutdown')
    expect(await client.refusal('textDocument/codeLens', { textDocument: { uri } })).toMatchObject({ code: -32600 })
    await client.notify('exit')
    await client.ended
  })

  it('refuses wrong parameters, unknown methods and unknown commands, and goes on', async () => {
    const client = await Client.start(place)
    await client.open(uri, 'float f(float x) { return x; }\n')
    const wrong: [method: string, params: unknown, message: RegExp][] = [
      ['textDocument/codeLens', {}, /^params\.textDocument must be an object, but is undefined$/],
      ['textDocument/codeLens', { textDocument: { uri: 7 } }, /^params\.textDocument\.uri must be a string/],
      ['textDocument/codeLens', [], /./],
      ['cotangent/derivative', { textDocument: { uri }, position: { line: -1, character: 0 } }, /line must be a whole/],
      ['cotangent/derivative', { textDocument: { uri }, position: { line: 0, character: 1.5 } }, /character must be/],
      ['cotangent/check', { textDocument: { uri }, functions: [1] }, /functions\[0\] must be a string, but is number$/],
      ['workspace/executeCommand', { command: 'cotangent.check', arguments: [uri] }, /arguments\[1\] must be/],
    ]
    for (const [method, params, message] of wrong)
      expect(await client.refusal(method, params)).toMatchObject({
        code: -32602,
        message: expect.stringMatching(message) as string,
      })
    expect(await client.refusal('cotangent/nothing', {})).toMatchObject({ code: -32601 })
    expect(await client.refusal('workspace/executeCommand', { command: 'rm' })).toMatchObject({
      code: -32803,
      message: 'there is no command rm; there are cotangent.check, cotangent.show',
    })
    // Nobody answers notifications; those that are wrong are dropped.
    await client.notify('cotangent/unheard', { a: 1 })
    await client.notify('textDocument/didOpen', { textDocument: { uri: 'file:///b.slang' } })
    await client.notify('textDocument/didChange', { textDocument: { uri, version: 2 }, contentChanges: [{}] })
    await client.notify('textDocument/didChange', {
      textDocument: { uri: 'file:///none.slang', version: 2 },
      contentChanges: [],
    })
    await client.notify('textDocument/didClose', { textDocument: { uri: 'file:///none.slang' } })
    await client.notify('cotangent/files', { files: { 'file:///c.slang': 1 } })
    expect(await client.request('textDocument/codeLens', { textDocument: { uri } })).toEqual([])
    expect(client.logged.join('\n')).toContain(
      'textDocument/didOpen: params.textDocument.version must be a whole number',
    )
    expect(client.logged.join('\n')).toContain('file:///none.slang is edited, but is not open')
    expect(await client.end()).toBe(0)
  })

  it('takes edits of any size and place', async () => {
    const client = await Client.start(place)
    await client.open(uri, 'float f(float x) { return x; }\n')
    const edit = (version: number, start: number[], end: number[], text: string): Promise<void> =>
      client.notify('textDocument/didChange', {
        textDocument: { uri, version },
        contentChanges: [
          { range: { start: { line: start[0], character: start[1] }, end: { line: end[0], character: end[1] } }, text },
        ],
      })
    // Behind the end, before the start, the wrong way round, and two million characters.
    await edit(2, [1000, 1000], [2000, 0], '// a\n')
    await edit(3, [0, 999999], [0, 1000000], ' // b')
    await edit(4, [3, 0], [0, 0], '// c\n')
    await edit(5, [0, 0], [0, 0], `/*${'x'.repeat(2_000_000)}*/`)
    expect((await client.diagnostics(uri, 5)).diagnostics).toEqual([])
    await edit(6, [0, 0], [5000, 0], 'int g() { return 𝛿; }')
    expect((await client.diagnostics(uri, 6)).diagnostics.length).toBeGreaterThan(0)
    expect(await client.end()).toBe(0)
  })

  it('drops a request that is cancelled', async () => {
    const client = await Client.start(place)
    await client.open(uri, '[Differentiable] float f(float x) { return x; }\n')
    const { CancellationTokenSource } = await import('vscode-languageserver/node')
    const source = new CancellationTokenSource()
    const sent = Array.from({ length: 20 }, () =>
      client.request('cotangent/check', { textDocument: { uri } }, source.token).catch((error: unknown) => error),
    )
    source.cancel()
    const codes = (await Promise.all(sent)).map(error => (error as { code?: number }).code)
    expect(codes.filter(code => code === -32800).length).toBeGreaterThan(18)
    expect(await client.end()).toBe(0)
  })

  it('writes to its log what a setting asks for', async () => {
    const client = await Client.start(place, { settings: { cotangent: { trace: 'messages', searchPaths: 'lib' } } })
    const lens = (): Promise<unknown> => client.request('textDocument/codeLens', { textDocument: { uri } })
    await client.until(() => client.logged.length > 0, 'a line of the log')
    expect(client.logged).toContain('the setting cotangent.searchPaths must be a list of folders, but is "lib"')
    await lens()
    await client.until(() => client.logged.some(l => /^textDocument\/codeLens: [\d.]+ ms$/.test(l)), 'the time')
    client.settings = { cotangent: { trace: 'verbose' } }
    await client.notify('workspace/didChangeConfiguration', { settings: null })
    await client.until(async () => {
      await lens()
      return client.logged.some(l => /^textDocument\/codeLens: [\d.]+ ms \{"textDocument"/.test(l))
    }, 'the parameters')
    expect(await client.end()).toBe(0)
  })
})

describe('the process', () => {
  it('ends with 1 on exit without shutdown, and when standard input ends', async () => {
    const client = await Client.start('stdio')
    await client.notify('exit')
    expect(await client.ended).toBe(1)
    const other = await Client.start('stdio')
    other.child.stdin!.end()
    expect(await other.ended).toBe(1)
    const third = await Client.start('stdio')
    await third.request('shutdown')
    third.child.stdin!.end()
    expect(await third.ended).toBe(0)
  })

  it('ends when the client is gone', async () => {
    // A process that has ended, whose number no other has soon.
    const gone = spawn(process.execPath, ['-e', ''])
    await once(gone, 'exit')
    const client = Client.raw('stdio')
    await client.request('initialize', { processId: gone.pid, rootUri: null, capabilities: {} })
    expect(await client.ended).toBe(1)
  })

  it('survives, or ends at, what is no message', async () => {
    const frame = (body: string): string => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
    const client = await Client.start('stdio')
    client.child.stdin!.write(frame('{"jsonrpc":"2.0","method":"$/x"}'))
    client.child.stdin!.write(frame('{ not json'))
    client.child.stdin!.write(frame('[]'))
    client.child.stdin!.write(frame('{"jsonrpc":"2.0","id":"a","method":"textDocument/codeLens","params":null}'))
    expect(await client.request('textDocument/codeLens', { textDocument: { uri } })).toEqual([])
    client.child.stdin!.write('Content-Length: many\r\n\r\n')
    client.child.stdin!.end()
    expect(await client.ended).toBe(1)
  })

  it('is told by --stdio how to speak', () => {
    expect(call(['lsp'])).toEqual(
      expect.objectContaining({
        status: 2,
        stdout: '',
        stderr: expect.stringContaining('cotangent lsp --stdio') as string,
      }),
    )
    expect(call(['lsp', '--help']).stdout).toContain('docs/editors.md')
    expect(call(['lsp', '--stdio', '--pipe=x']).status).toBe(2)
    expect(JSON.parse(call(['lsp', '--diagnostics', 'json']).stderr)).toMatchObject({
      severity: 'error',
      code: 'E50300',
    })
  })

  // A page that nobody reads: all that the server writes must be messages.
  it('writes nothing but messages to standard output', async () => {
    const child = spawn(process.execPath, [join(root, 'dist/cli.js'), 'lsp', '--stdio'], { stdio: 'pipe' })
    let out = ''
    child.stdout.on('data', (data: Buffer) => {
      out += data.toString()
    })
    const send = (message: object): void => {
      const body = JSON.stringify({ jsonrpc: '2.0', ...message })
      child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
    }
    const text = '[Differentiable] float f(float x) { printf("hello %f\\n", x); return x * x; }\n'
    send({ id: 1, method: 'initialize', params: { processId: null, rootUri: null, capabilities: {} } })
    send({ method: 'initialized', params: {} })
    send({ method: 'textDocument/didOpen', params: { textDocument: { uri, languageId: 'slang', version: 1, text } } })
    send({ id: 2, method: 'cotangent/check', params: { textDocument: { uri } } })
    for (const start = Date.now(); !out.includes('"id":2') && Date.now() - start < 20_000;)
      await new Promise(done => setTimeout(done, 20))
    send({ id: 3, method: 'shutdown' })
    send({ method: 'exit' })
    expect((await once(child, 'exit'))[0]).toBe(0)
    let rest = Buffer.from(out)
    let count = 0
    while (rest.length > 0) {
      const [head, length] = /^Content-Length: (\d+)\r\n\r\n/.exec(rest.toString('latin1')) ?? []
      expect(head).toBeDefined()
      const end = head!.length + Number(length)
      expect(JSON.parse(rest.subarray(head!.length, end).toString())).toMatchObject({ jsonrpc: '2.0' })
      rest = rest.subarray(end)
      count++
    }
    expect(out).toMatch(/"state":"agrees"/)
    expect(count).toBe(4)
    expect(out).not.toContain('hello')
  })
})
