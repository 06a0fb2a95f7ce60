/**
 * A project as the hash of an address: `#1=` and then its JSON, deflated, in base64url. The number is the version of this format. Links come from
 * anywhere, so everything in them is checked, and texts that unfold to too much are refused before they do.
 */
import { bounds, clash, isFileName, withLineFeeds, type Json, type Project, type ProjectFile } from './project.ts'

/** The largest JSON that a link may hold, in bytes. */
export const largest: number = 1 << 20

/** How deep what panes remember may be nested. Deeper texts can be read, but neither written nor sent to a worker: those recurse. */
const deepest = 32

/** A link that is no project; the message is for people. */
export class LinkError extends Error {
  override readonly name = 'LinkError'
}

const version = '1'

/** The hash of a project, with `#`. Throws a `LinkError` where it is too large for a link. */
export async function toHash(project: Project): Promise<string> {
  const json = new TextEncoder().encode(JSON.stringify(project))
  if (json.length > largest)
    throw new LinkError(`This project has ${json.length} bytes, and a link holds at most ${largest}.`)
  const packed = await through(json, new CompressionStream('deflate-raw'), Infinity)
  return `#${version}=${base64(packed)}`
}

/** The project of a hash; undefined where there is none. Throws a `LinkError` where what is there is no project. */
export async function fromHash(hash: string): Promise<Project | undefined> {
  const text = hash.replace(/^#/, '')
  if (text === '') return undefined
  const [, found, data] = /^(\d+)=(.*)$/s.exec(text) ?? []
  if (found === undefined) throw new LinkError('The link holds no project: it does not begin with a version.')
  if (found !== version)
    throw new LinkError(`The link is of version ${found.slice(0, 9)}, and this page reads version ${version}.`)
  const bytes = bytesOf(data!)
  let json: Uint8Array
  try {
    json = await through(bytes, new DecompressionStream('deflate-raw'), largest)
  } catch (cause) {
    if (cause instanceof LinkError) throw cause
    throw new LinkError('The link is damaged: its text does not unpack. Was it cut off?')
  }
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json))
  } catch {
    throw new LinkError('The link is damaged: what it unpacks to is no JSON.')
  }
  return checked(value)
}

/** Sends bytes through a stream, and gives up where more than `most` come out. */
async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: { readonly readable: ReadableStream<Uint8Array>; readonly writable: WritableStream<BufferSource> },
  most: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const writer = stream.writable.getWriter()
  // What fails here fails in the reader too, which is awaited.
  const written = writer.write(bytes).then(() => writer.close())
  written.catch(() => {})
  const reader = stream.readable.getReader()
  const parts: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    parts.push(value)
    length += value.length
    if (length > most) {
      await reader.cancel()
      throw new LinkError(`The link unpacks to more than ${most} bytes.`)
    }
  }
  const all = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

function base64(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000))
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[\w-]+$/.test(text)) throw new LinkError('The link is damaged: it has characters that no link of ours has.')
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), c => c.charCodeAt(0))
  } catch {
    throw new LinkError('The link is damaged: it has been cut off.')
  }
}

/** Checks each field, and takes no other. */
function checked(value: unknown): Project {
  const { files, open, backend, size, picks } = record(value, 'The project of the link')
  if (!Array.isArray(files) || files.length === 0 || files.length > bounds.files)
    throw new LinkError(`The project of the link has no list of 1 to ${bounds.files} files.`)
  const list = files.map((f: unknown): ProjectFile => {
    const { name, text } = record(f, 'A file of the link')
    if (typeof name !== 'string' || !isFileName(name))
      throw new LinkError('A file of the link has no name that a file may have.')
    if (typeof text !== 'string') throw new LinkError(`The file ${name} of the link has no text.`)
    return { name, text: withLineFeeds(text) }
  })
  if (list.some((f, i) => list.slice(0, i).some(before => clash(before.name, f.name))))
    throw new LinkError('Two files of the link have the same name, or names that one folder cannot hold.')
  if (typeof open !== 'string' || !list.some(f => f.name === open))
    throw new LinkError('The link opens a file that it does not have.')
  if (backend !== 'auto' && backend !== 'cpu') throw new LinkError('The link names no backend that there is.')
  const sides: readonly unknown[] = Array.isArray(size) ? size : []
  const isSide = (n: unknown): n is number => Number.isInteger(n) && (n as number) >= 1 && (n as number) <= bounds.side
  const [width, height] = sides
  if (sides.length !== 2 || !isSide(width) || !isSide(height))
    throw new LinkError(`The picture of the link is not 1 to ${bounds.side} pixels wide and high.`)
  const remembered = record(picks, 'What the link says of panes') as { [pane: string]: Json }
  if (isDeeper(remembered, deepest))
    throw new LinkError(`What the link says of panes is nested more than ${deepest} times.`)
  return { files: list, open, backend, size: [width, height], picks: remembered }
}

function isDeeper(value: Json, than: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return than === 0 || Object.values(value).some((v: Json) => isDeeper(v, than - 1))
}

function record(value: unknown, what: string): { readonly [name: string]: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new LinkError(`${what} is no object.`)
  return value as { readonly [name: string]: unknown }
}
