/** Fixes of mistakes that only concrete types, or targets, show. */
import * as errors from '../../base/errors/lower.ts'
import { Span } from '../../base/source.ts'
import { innermost, row, textOf, type Row } from './fix.ts'
import { removeAttribute, replace } from './text.ts'

export const lowerFixes: readonly Row[] = [
  row(errors.missingBody, {
    does: 'give the function a body',
    edit: at => {
      const [only, ...others] = at.functions(String(at.given.name))
      const syntax = only?.syntax
      if (syntax?.kind !== 'func' || others.length > 0 || syntax.body !== undefined) return undefined
      const { file, end } = syntax.span
      const semicolon = file.text.indexOf(';', end - 1)
      const isVoid = syntax.result === undefined || textOf(syntax.result.span) === 'void'
      return semicolon < 0
        ? undefined
        : [replace(new Span(file, semicolon, semicolon + 1), isVoid ? ' { }' : ' { return {}; }')]
    },
  }),
  row(errors.systemType, {
    does: 'declare it as int or uint, or as a vector of them',
    isPreferred: true,
    edit: at => {
      const type = at.inner('param', 'var')?.type
      const lanes = Number(at.given.lanes)
      return type && [replace(type.span, lanes === 1 ? 'uint' : `uint${lanes}`)]
    },
  }),
  row(errors.doubleLocation, {
    does: 'leave [[vk::location(n)]] out',
    edit: at => {
      const attribute = innermost(at.path, 'param', 'var')?.attributes.find(a => a.name === 'vk::location')
      return attribute && [removeAttribute(attribute.span)]
    },
  }),
]
