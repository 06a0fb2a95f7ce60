/**
 * Bit fields. Neighbours share an unsigned integer, the first in its lowest bits; a field that does not fit into it, or of width
 * zero, begins another. Each field is a property of the struct, and reading and writing it changes nothing but that integer.
 */
import { unsupported } from '../../base/errors/names.ts'
import * as errors from '../../base/errors/types.ts'
import { SourceFile, type Span } from '../../base/source.ts'
import * as ast from '../../syntax/ast.ts'
import { parseRange } from '../../syntax/parse.ts'
import type { Cx } from '../model/context.ts'
import type { Bits, FieldDecl, StructDecl } from '../model/decl.ts'
import { declare } from '../model/scope.ts'
import { bits, isIntName, scalars, show, type ScalarType } from '../model/type.ts'
import { collect } from '../modules/collect.ts'
import { enumTag } from './enum.ts'
import { resolveType } from './resolve.ts'

interface BitField {
  readonly syntax: ast.VarDecl
  readonly width: number
  readonly isSigned: boolean
}

/** Fields that share an integer of so many bits. */
interface Group {
  readonly fields: BitField[]
  size: number
  used: number
}

/** Replaces the bit fields of a struct by properties and the fields that hold them, before anything asks for its fields. */
export function packBits(cx: Cx, decl: StructDecl): void {
  const members = decl.syntax?.kind === 'struct' ? (decl.syntax.members ?? []) : []
  if (decl.module.isCore || !members.some(m => m.kind === 'var' && ast.bitWidth(m) !== null)) return
  const kept = new Map(decl.fields.map(f => [f.syntax, f]))
  const fields = decl.fields.filter(f => f.isBase === true)
  const groups: Group[] = []
  let isOpen = false
  const close = (): void => {
    if (isOpen) fields.push(backing(cx, decl, groups.at(-1)!, fields.length))
    isOpen = false
  }
  for (const m of members) {
    const width = m.kind === 'var' ? ast.bitWidth(m) : null
    if (m.kind !== 'var' || width === null) {
      if (m.kind === 'var' || m.kind === 'property') close()
      const own = m.kind === 'var' ? kept.get(m) : undefined
      if (own !== undefined) fields.push(Object.assign(own, { index: fields.length }))
      continue
    }
    const type = integerOf(cx, decl, m)
    if (type === null) continue
    if (m.init !== undefined) cx.sink.add(unsupported, m.init.span, { feature: 'a default value of a bit field' })
    const size = bits(type.name)
    if (width > size) {
      cx.sink.add(errors.bitFieldTooWide, m.name.span, { width, type: show(type), size })
      continue
    }
    if (width === 0) {
      close()
      enterProperty(cx, decl, m, '0', '')
      continue
    }
    const last = groups.at(-1)
    if (last !== undefined && last.used + width > Math.max(size, last.size)) close()
    if (!isOpen) groups.push({ fields: [], size: 0, used: 0 })
    isOpen = true
    const group = groups.at(-1)!
    group.fields.push({ syntax: m, width, isSigned: type.name.startsWith('i') })
    group.size = Math.max(group.size, size)
    group.used += width
  }
  close()
  decl.fields.splice(0, decl.fields.length, ...fields)
}

/** The integer type of a bit field, or of its enum; null where it has none, which is reported. */
function integerOf(cx: Cx, decl: StructDecl, m: ast.VarDecl): ScalarType | null {
  const type = m.type === undefined ? null : resolveType(cx, m.type, decl.inner)
  const tag = type?.kind === 'enum' ? enumTag(cx, type.decl) : type
  if (tag?.kind === 'scalar' && isIntName(tag.name)) return tag
  if (tag?.kind !== 'error')
    cx.sink.add(errors.bitFieldType, m.name.span, { type: type === null ? 'no type' : show(type) })
  return null
}

/** Makes the field that holds a group, and the properties for its bits. */
function backing(cx: Cx, decl: StructDecl, group: Group, index: number): FieldDecl {
  const { syntax: first } = group.fields[0]!
  let name = `bits${index}`
  while (decl.inner.names.has(name)) name += '_'
  const { span } = first
  const type: ast.TypeExpr = { kind: 'name', span, name: `uint${group.size}_t`, global: false }
  const named = { text: name, span: first.name.span }
  const made: FieldDecl = {
    kind: 'field',
    id: cx.id(),
    name,
    parent: decl,
    module: decl.module,
    span: first.name.span,
    visibility: 'private',
    scope: decl.inner,
    index,
    owner: decl,
    syntax: {
      ...first,
      modifiers: [],
      attributes: [],
      semantics: [],
      init: undefined,
      form: 'typed',
      type,
      name: named,
    },
    holdsBits: true,
  }
  declare(decl.inner, made)
  const wide = group.size > 32 ? 64 : 32
  let low = 0
  for (const { syntax, width, isSigned } of group.fields) {
    enterProperty(cx, decl, syntax, `this.${syntax.name.text}`, `this.${syntax.name.text} = newValue;`, {
      field: made,
      word: scalars[`${isSigned ? 'i' : 'u'}${wide}`],
      up: wide - low - width,
      down: wide - width,
      mask: ((1n << BigInt(width)) - 1n) << BigInt(low),
    })
    low += width
  }
  return made
}

/** Enters the property that a bit field is. Its accessors are for requirements of interfaces. */
function enterProperty(cx: Cx, decl: StructDecl, field: ast.VarDecl, get: string, set: string, at?: Bits): void {
  const text = `struct S { property int x { [ForceInline] get { return ${get}; } [ForceInline] set { ${set} } } }`
  const [parsed] = parseRange(new SourceFile('bit field', text), 0, text.length, cx.sink)
  const model = parsed?.kind === 'struct' ? parsed.members![0] : undefined
  if (model?.kind !== 'property' || field.type === undefined) return
  const { span, attributes, modifiers, name, type } = field
  const { accessors } = placedAt(model, name.span)
  const property: ast.Decl = { kind: 'property', span, attributes, modifiers, name, type, accessors }
  collect(cx, [property], decl.module, decl, decl.inner, decl.visibility)
  const made = decl.inner.names.get(name.text)?.find(d => d.kind === 'property')
  if (made !== undefined) Object.assign(made, { bits: at })
}

/** A copy of a tree that stands in one place of the program. */
function placedAt<T>(tree: T, span: Span): T {
  if (Array.isArray(tree)) return tree.map((part: unknown) => placedAt(part, span)) as T
  if (typeof tree !== 'object' || tree === null) return tree
  const parts = Object.entries(tree).map(([key, part]) => [key, key === 'span' ? span : placedAt<unknown>(part, span)])
  return Object.fromEntries(parts) as T
}
