/**
 * Names of files. Editors name documents by URIs, and programs name sources by paths, since an import is a path beside that of the file that
 * imports. `file:///a/b.slang` has the path `/a/b.slang`, and `file:///c%3A/b.slang` the path `c:/b.slang`. A URI of another scheme keeps its
 * scheme: `memory://host/b.slang` has the path `memory:/host/b.slang`.
 */

/** The scheme of the read-only documents that hold the core library: `cotangent-core:/math.slang`. */
export const coreScheme = 'cotangent-core'

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A `%` that stands for itself.
    return text
  }
}

/** The path of a URI; a text that is no URI is a path already. */
export function pathOf(uri: string): string {
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]+):(.*)$/is.exec(uri) ?? []
  if (scheme === undefined) return uri
  const path = decoded(rest.replace(/^\/\/(?=\/|$)/, '').replace(/[?#].*$/s, ''))
  if (scheme.toLowerCase() !== 'file') return `${scheme}:${path.replace(/^\/\//, '/')}`
  // A drive of Windows; its letter may be written either way.
  const drive = /^\/([a-z]):/i.exec(path)
  return drive === null ? path : `${drive[1]!.toLowerCase()}${path.slice(2)}`
}

/** A URI for a path: that of a file, where the path has no scheme. */
export function uriOf(path: string): string {
  const encoded = (text: string): string => text.split('/').map(encodeURIComponent).join('/')
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]+):(.*)$/is.exec(path) ?? []
  if (scheme !== undefined) return `${scheme}:${scheme === coreScheme ? '' : '/'}${encoded(rest)}`
  return `file://${path.startsWith('/') ? '' : '/'}${encoded(path)}`
}

/** The folder of a path; '' where it has none. */
export function folderOf(path: string): string {
  const at = path.lastIndexOf('/')
  return at < 0 ? '' : path.slice(0, at) || '/'
}

/** A path with `.` and `..` taken out, beside others in a folder unless it is absolute. */
export function joined(folder: string, path: string): string {
  const whole = /^(?:\/|[a-z][a-z0-9+.-]*:)/i.test(path) || folder === '' ? path : `${folder}/${path}`
  const parts: string[] = []
  for (const part of whole.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else parts.push(part)
  }
  return (whole.startsWith('/') ? '/' : '') + parts.join('/')
}
