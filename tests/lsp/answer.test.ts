/** Parts of the server by themselves: what clients are told of exceptions, how settings are read, where shaders are looked for, how long checks take. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CancellationToken, ErrorCodes, LSPErrorCodes, ResponseError } from 'vscode-languageserver'
import { describe, expect, it } from 'vitest'
import { InternalError } from '../../src/base/diag.ts'
import { answering, hearing } from '../../src/lsp/answer.ts'
import { filesBelow } from '../../src/lsp/disk.ts'
import { Cancelled, Refused } from '../../src/lsp/errors.ts'
import { examine } from '../../src/lsp/examine.ts'
import { anything, object, text } from '../../src/lsp/params.ts'
import { defaults, readSettings } from '../../src/lsp/settings.ts'

/** The answer of a handler that throws, and what went to the log. */
async function answerOf(cause: unknown): Promise<{ readonly answer: ResponseError; readonly logged: string[] }> {
  const logged: string[] = []
  const handler = answering(
    'textDocument/hover',
    anything,
    message => logged.push(message),
    () => {
      throw cause
    },
  )
  return { answer: (await handler({}, CancellationToken.None)) as ResponseError, logged }
}

describe('an exception', () => {
  it('that is a bug becomes an error that names the request and the pass, and says how to report it', async () => {
    const { answer, logged } = await answerOf(new InternalError('transpose', 'no rule for %3'))
    expect(answer.code).toBe(ErrorCodes.InternalError)
    expect(answer.message).toBe(
      'textDocument/hover: internal error in transpose: no rule for %3. This is a bug in Cotangent. Please report it with the program that shows it.',
    )
    expect(logged).toEqual([expect.stringContaining('answer.test.ts')])
    const other = await answerOf(new TypeError('x is not a function'))
    expect(other.answer.message).toMatch(
      /^textDocument\/hover: internal error in lsp: TypeError: x is not a function\. This is a bug/,
    )
    expect((await answerOf('a text')).answer.message).toContain('internal error in lsp: a text')
  })

  it('that is nobody’s fault is no bug', async () => {
    for (const [cause, code] of [
      [new Cancelled(), LSPErrorCodes.RequestCancelled],
      [new Refused('there is no function here'), LSPErrorCodes.RequestFailed],
      [new ResponseError(ErrorCodes.InvalidParams, 'no'), ErrorCodes.InvalidParams],
    ] as const) {
      const { answer, logged } = await answerOf(cause)
      expect([answer.code, answer.message, logged]).toEqual([code, cause.message, []])
    }
  })

  it('in a notification is only logged', async () => {
    const logged: string[] = []
    const hear = hearing(
      'cotangent/files',
      object({ a: text }),
      message => logged.push(message),
      () => {
        throw new Error('broken')
      },
    )
    await hear({ a: 'b' })
    await hear({ a: 1 })
    expect(logged).toEqual([
      expect.stringMatching(/^cotangent\/files: internal error in lsp: Error: broken/),
      'cotangent/files: params.a must be a string, but is number',
    ])
  })
})

describe('settings', () => {
  const read = (sections: Parameters<typeof readSettings>[0]): [unknown, string[]] => {
    const warnings: string[] = []
    return [readSettings(sections, w => warnings.push(w)), warnings]
  }

  it('have defaults', () => {
    expect(read({})).toEqual([defaults, []])
    expect(read({ cotangent: null, slang: 7 })).toEqual([defaults, []])
  })

  it('that are wrong are told of, and the default holds', () => {
    const cotangent = {
      searchPaths: ['a', ' '],
      defines: { '1A': 1 },
      check: { samples: 0, timeLimit: 2.5 },
      inlayHints: 'all',
      trace: 'loud',
    }
    const slang = { predefinedMacros: ['A', 'B=', 'C=1=2', '=3'], additionalSearchPaths: 'b' }
    expect(read({ cotangent, slang })).toEqual([
      {
        ...defaults,
        searchPaths: ['a'],
        defines: { A: true, B: '', C: '1=2' },
        check: { samples: 20, timeLimit: 2.5 },
      },
      [
        'the setting slang.additionalSearchPaths must be a list of strings, but is "b"',
        'slang.predefinedMacros: "=3" must be NAME or NAME=value',
        'the setting cotangent.defines must be an object that gives each macro a value, but is {"1A":1}',
        'the setting cotangent.check.samples must be a whole number above 0, but is 0',
        'the setting cotangent.trace must be "off", "messages" or "verbose", but is "loud"',
      ],
    ])
  })
})

describe('the shaders of a folder', () => {
  it('are listed, the nearest first, in no more folders than a server has time for', () => {
    const root = mkdtempSync(join(tmpdir(), 'cotangent-'))
    try {
      for (const path of ['b/c/deep.slang', 'a/near.slang', 'node_modules/x/no.slang', '.git/no.slang', 'top.slang']) {
        mkdirSync(join(root, path, '..'), { recursive: true })
        writeFileSync(join(root, path), '')
      }
      const listed = (most?: { files: number; folders: number }): readonly string[] =>
        filesBelow(root, ['.slang'], most).map(path => path.slice(root.length + 1))
      expect(listed()).toEqual(['top.slang', 'a/near.slang', 'b/c/deep.slang'])
      expect(listed({ files: 2, folders: 100 })).toEqual(['top.slang', 'a/near.slang'])
      expect(listed({ files: 100, folders: 3 })).toEqual(['top.slang', 'a/near.slang'])
    } finally {
      rmSync(root, { recursive: true })
    }
  })
})

describe('a check of several functions', () => {
  it('tries one input of each that is left when the time is over', async () => {
    const source = '[Differentiable] float f(float x) { return x; }\n[Differentiable] float g(float x) { return x; }'
    const job = { source, options: { fileName: 'a.slang' }, functions: ['f', 'g'], samples: 3, seed: undefined }
    const inputs = async (timeLimit: number): Promise<unknown> => {
      const result = await examine({ ...job, timeLimit })
      return 'verdicts' in result ? result.verdicts.map(v => v.inputs) : result.failed
    }
    expect(await inputs(60_000)).toEqual([3, 3])
    expect(await inputs(0)).toEqual([1, 1])
    // The time of the first is not that of the second too.
    let waits = 0
    const slow = await examine({ ...job, samples: 100, timeLimit: 300 }, async () => {
      waits++
      await new Promise(done => setTimeout(done, 20))
    })
    expect('verdicts' in slow && slow.verdicts.at(-1)!.inputs).toBe(1)
    expect(waits).toBeLessThan(30)
  })
})
