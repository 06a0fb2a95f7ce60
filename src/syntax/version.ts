/** The version of the language that `#language slang 2026` asks for. */
import type { Sink } from '../base/diag.ts'
import { expectedInDirective, unknownLanguage, unknownVersion } from '../base/errors/syntax.ts'
import type { Span } from '../base/source.ts'

/** What a file means that asks for none. */
export const legacy = 2018

const versions: Readonly<Record<string, number>> = {
  2018: legacy,
  default: legacy,
  legacy,
  2025: 2025,
  '202a': 2025,
  2026: 2026,
  '202b': 2026,
  latest: 2026,
  '202c': 2027,
  next: 2027,
}

/** The version in the words behind `#language`; null, with a diagnostic, where there is no such version. */
export function languageVersion(words: readonly string[], span: Span, sink: Sink): number | null {
  const text = words.join('')
  const version = text.replace(/^slang/, '')
  const known = Object.hasOwn(versions, version) ? versions[version]! : null
  if (known !== null) return known
  const isLanguage = text.startsWith('slang') || /^\d/.test(text)
  if (version === '') sink.add(expectedInDirective, span, { what: 'a version of Slang', directive: 'language' })
  else if (isLanguage) sink.add(unknownVersion, span, { name: words.join(' ').replace(/^slang /, '') })
  else sink.add(unknownLanguage, span, { name: words[0]! })
  return null
}
