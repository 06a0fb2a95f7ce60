/** Links: what is shared comes back, and what is no link of ours says why. */
import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { fromHash, largest, LinkError, toHash } from '../playground/project/codec.ts'
import { projectOf, wrongName, type Project } from '../playground/project/project.ts'

const packed = (value: unknown, version = 1): string =>
  `#${version}=${deflateRawSync(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')}`

const project: Project = {
  files: [
    { name: 'main.slang', text: 'import lib.noise; // ∂ x → “y” 🜂\n' },
    { name: 'lib/noise.slang', text: '' },
  ],
  open: 'lib/noise.slang',
  backend: 'cpu',
  size: [64, 48],
  picks: { train: { of: ['x', 'y'], rate: 0.1 } },
}

describe('a link', () => {
  it('gives back the project that it was made of', async () => {
    expect(await fromHash(await toHash(project))).toEqual(project)
  })

  it('brings the line ends of the editor, whichever it was made with', async () => {
    const found = await fromHash(packed({ ...project, files: [{ ...project.files[1]!, text: 'a\r\nb\rc\n' }] }))
    expect(found?.files[0]?.text).toBe('a\nb\nc\n')
    expect(projectOf('a\r\nb').files[0]?.text).toBe('a\nb')
  })

  it('is short, and made of characters that addresses have', async () => {
    const hash = await toHash(projectOf('float f(float x) { return x; }\n'.repeat(500)))
    expect(hash).toMatch(/^#1=[\w-]+$/)
    expect(hash.length).toBeLessThan(600)
  })

  it('is no project where there is none', async () => {
    expect(await fromHash('')).toBeUndefined()
    expect(await fromHash('#')).toBeUndefined()
  })

  it('refuses a project that is too large to share', async () => {
    await expect(toHash(projectOf('x'.repeat(largest)))).rejects.toThrow(LinkError)
  })
})

describe('what is no link', () => {
  const first = project.files[0]!
  it.each<[string, string, RegExp]>([
    ['another hash', '#intro', /does not begin with a version/],
    ['another version', packed(project, 2), /version 2/],
    ['a version without end', `#${'9'.repeat(5000)}=x`, /version 999999999,/],
    ['other characters', '#1=<script>', /characters/],
    ['nothing behind the version', '#1=', /characters/],
    ['what is cut off', packed(project).slice(0, -12), /damaged/],
    ['noise', '#1=AAAAAAAA', /damaged/],
    ['a bomb', packed('x'.repeat(largest * 50)), /unpacks to more than/],
    ['no JSON', packed('{"files":'), /no JSON/],
    ['a list', packed([]), /no object/],
    ['null', packed('null'), /no object/],
    ['no files', packed({ ...project, files: [] }), /list of 1 to 64 files/],
    [
      'too many files',
      packed({ ...project, files: Array.from({ length: 65 }, (_, i) => ({ name: `a${i}.slang`, text: '' })) }),
      /list of 1 to 64/,
    ],
    [
      'a file outside',
      packed({ ...project, files: [{ name: '../main.slang', text: '' }] }),
      /no name that a file may have/,
    ],
    ['a file by its root', packed({ ...project, files: [{ name: '/etc/main.slang', text: '' }] }), /no name/],
    ['a file of the prototype', packed({ ...project, files: [{ name: '__proto__', text: '' }] }), /no name/],
    ['a file without text', packed({ ...project, files: [{ name: 'main.slang' }] }), /has no text/],
    ['two files of one name', packed({ ...project, files: [first, first] }), /same name/],
    [
      'two files that differ in case only',
      packed({ ...project, files: [first, { ...first, name: 'Main.slang' }] }),
      /one folder cannot hold/,
    ],
    [
      'a file that is a folder as well',
      packed({ ...project, files: [first, { ...first, name: 'main.slang/a.slang' }] }),
      /one folder cannot hold/,
    ],
    ['an open file that is not there', packed({ ...project, open: 'x.slang' }), /does not have/],
    ['another backend', packed({ ...project, backend: 'cuda' }), /no backend/],
    ['a picture without end', packed({ ...project, size: [1e9, 1e9] }), /1 to 2048 pixels/],
    ['a picture of no size', packed({ ...project, size: [0, 'x'] }), /1 to 2048 pixels/],
    [
      'picks without a floor',
      packed(`${JSON.stringify(project).replace('"rate":0.1', `"rate":${'['.repeat(99_999)}${']'.repeat(99_999)}`)}`),
      /nested more than 32 times/,
    ],
    ['no picks', packed({ ...project, picks: 3 }), /no object/],
  ])('%s', async (_name, hash, message) => {
    const failure = await fromHash(hash).then(
      () => undefined,
      (cause: unknown) => cause,
    )
    expect(failure).toBeInstanceOf(LinkError)
    expect((failure as LinkError).message).toMatch(message)
  })

  it('brings no fields that a project does not have', async () => {
    const found = await fromHash(packed({ ...project, files: [{ ...first, run: 'x' }], open: first.name, extra: 1 }))
    expect(found).toEqual({ ...project, files: [first], open: first.name })
  })
})

it.each([
  ['main.slang', /There is a file main\.slang already/],
  ['Main.slang', /Not every disk keeps Main\.slang beside main\.slang/],
  ['main.slang/x.slang', /Not every disk/],
  ['../x.slang', /A name has letters/],
])('a new file may not be called %s', (name, why) => {
  expect(wrongName(project, name)).toMatch(why)
  expect(wrongName(project, 'other.slang')).toBeUndefined()
})
