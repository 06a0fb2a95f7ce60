/** `[anyValueSize(N)]` on an interface: the bytes that its values have room for in memory. */
import { attributeArguments } from '../../base/errors/names.ts'
import type { Cx } from '../model/context.ts'
import type { InterfaceDecl } from '../model/decl.ts'
import { known } from '../model/type.ts'
import { resolveInt } from './resolve.ts'

/** Bytes that Slang gives a value at most. */
const most = 0x7fff

/** The number of bytes that an interface asks for; null where it leaves that open. */
export function anyValueSize(from: Cx, decl: InterfaceDecl): number | null {
  const attribute = decl.syntax.attributes.find(a => a.name === 'anyValueSize')
  if (attribute === undefined) return null
  const cx = from.of(decl)
  const [first] = attribute.args
  const size = first === undefined ? null : resolveInt(cx, first.value, decl.scope)
  const n = size === null ? null : known(size)
  if (n !== null && n >= 1 && n <= most && attribute.args.length === 1) return n
  if (size === null || size.kind !== 'error')
    cx.sink.add(attributeArguments, attribute.span, {
      name: attribute.name,
      expected: `the bytes of a value, from 1 to ${most}`,
    })
  return null
}
