/** Fixes of mistakes about types: conversions, calls, operators, places, statements; and of variables without a value. */
import * as assigned from '../../base/errors/assigned.ts'
import * as strict from '../../base/errors/strict.ts'
import * as errors from '../../base/errors/types.ts'
import { Span } from '../../base/source.ts'
import type { Expr, VarDecl } from '../../syntax/ast.ts'
import { innermost, row, textOf, type Edit, type Mistake, type Row } from './fix.ts'
import { atEnd, atStart, before, behind, lineBefore, lineBehind, remove, replace, wrap } from './text.ts'

/** A conversion to a type that can be written before parentheses; an array's cannot. */
function converted(span: Span, type: string | number): readonly Edit[] | undefined {
  return /^[\w.<>, ]+$/.test(String(type)) ? wrap(span, `${type}(`, ')') : undefined
}

/** Puts the object or argument of a call into a variable, and takes that instead. */
function throughVariable(at: Mistake, span: Span, name: string, declared: string): readonly Edit[] | undefined {
  const statement = at.statement()
  return statement && [lineBefore(statement.span, `${declared} ${name} = ${textOf(span)};`), replace(span, name)]
}

/** The declaration of a variable, from the place of its name. */
function variableAt(at: Mistake, name: Span | undefined): VarDecl | undefined {
  return name && innermost(at.nodesAround(name), 'var')
}

/** Lets what an expression names be written. */
function writable(at: Mistake): readonly Edit[] | undefined {
  const decl = at.analysis.use(at.file, at.span.start)?.decl
  if (decl === undefined || decl.kind === 'module' || decl.span === null) return undefined
  const node = innermost(at.nodesAround(decl.span), 'var', 'param')
  if (node === undefined) return undefined
  const fixed = node.modifiers.find(m => m.name === 'const')
  if (fixed !== undefined && !node.modifiers.some(m => m.name === 'static')) return [remove(fixed.span)]
  if (node.kind !== 'var' || node.form !== 'let' || node.span.file !== at.file) return undefined
  const keyword = /\blet\s+$/.exec(at.file.text.slice(0, node.name.span.start))
  return keyword === null ? undefined : [replace(at.part(keyword.index, keyword.index + 3), 'var')]
}

/** Ends the function around the mistake with the zero of its result. */
function returnZero(at: Mistake): readonly Edit[] | undefined {
  const body = bodyOf(at)
  return body && [atEnd(body, 'return {};')]
}

function bodyOf(at: Mistake): Span | undefined {
  return at.func()?.body?.span
}

/** Initialises the variable that a declaration leaves without a value. */
function initialised(found: VarDecl | undefined): readonly Edit[] | undefined {
  if (found === undefined || found.init !== undefined) return undefined
  // An array's suffix stands behind the name, and belongs to the type.
  const { file, start, end } = found.name.span
  const suffix = /^(\s*\[[^\]]*\])*/.exec(file.text.slice(end))![0]
  return [behind(new Span(file, start, end + suffix.length), ' = {}')]
}

function operandsOf(at: Mistake): readonly [Expr, Expr] | undefined {
  const e = at.whole('binary')
  return e === undefined ? undefined : [e.left, e.right]
}

const isTensor = (type: string | number): boolean => /^(float|half|double|int|uint)\d(x\d)?$/.test(String(type))

export const typesFixes: readonly Row[] = [
  row(errors.needsCast, {
    does: 'write the conversion: {expected}(...)',
    edit: at => converted(at.span, at.given.expected),
  }),
  row(errors.lossyConversion, {
    does: 'write the conversion: {to}(...)',
    isPreferred: true,
    edit: at => converted(at.span, at.given.to),
  }),
  row(errors.literalDoesNotFit, {
    does: 'write the conversion if that is meant: {type}(...)',
    edit: at => converted(at.span, at.given.type),
  }),
  row(
    errors.pairMismatch,
    {
      title: 'take .p, the value',
      find: at => (String(at.given.got).startsWith('DifferentialPair<') ? {} : undefined),
      edit: at => [behind(at.span, '.p')],
    },
    {
      title: 'take .d, the derivative',
      find: at => (String(at.given.got).startsWith('DifferentialPair<') ? {} : undefined),
      edit: at => [behind(at.span, '.d')],
    },
    {
      title: 'make a pair with a derivative of zero',
      find: at => (String(at.given.expected) === `DifferentialPair<${at.given.got}>` ? {} : undefined),
      edit: at => wrap(at.span, 'diffPair(', `, ${at.given.got}(0))`),
    },
  ),
  row(errors.tooManyArguments, {
    title: 'leave the last arguments out',
    edit: at => {
      const args = at.whole('call')?.args
      const [kept, last] = [args?.[Number(at.given.expected) - 1], args?.at(-1)]
      if (args === undefined || last === undefined || args.length !== Number(at.given.got)) return undefined
      return [replace(at.part(kept?.span.end ?? args[0]!.span.start, last.span.end), '')]
    },
  }),
  row(
    errors.notAssignable,
    {
      title: 'let it be written',
      find: at => (String(at.given.why).endsWith(' is constant') ? {} : undefined),
      edit: writable,
    },
    {
      title: 'mark the method [mutating]',
      isPreferred: true,
      find: at => (/not \[mutating\]/.test(String(at.given.why)) ? {} : undefined),
      edit: at => {
        const func = at.func()
        return func && [lineBefore(func.span, '[mutating]')]
      },
    },
  ),
  row(errors.argumentNotAssignable, {
    does: 'pass a variable',
    edit: at => throughVariable(at, at.span, at.fresh(String(at.given.name)), 'var'),
  }),
  row(errors.argumentConverted, {
    does: 'pass a variable of type {type}, and copy it to and fro',
    edit: at => {
      const statement = at.statement()
      if (statement === undefined) return undefined
      const name = at.fresh(at.text)
      const { type, got, dir } = at.given
      const value = dir === 'inout' ? ` = ${type}(${at.text})` : ''
      return [
        lineBefore(statement.span, `${type} ${name}${value};`),
        replace(at.span, name),
        lineBehind(statement.span, `${at.text} = ${got}(${name});`),
      ]
    },
  }),
  row(errors.mutatingOnFixed, {
    does: 'put the object into a variable first',
    edit: at => {
      const callee = at.whole('call')?.callee
      if (callee?.kind !== 'member') return undefined
      return throughVariable(at, callee.base.span, at.fresh(textOf(callee.base.span)), 'var')
    },
  }),
  row(errors.noBinary, {
    does: 'multiply matrices by mul(a, b)',
    isPreferred: true,
    find: at => (at.given.op === '*' && isTensor(at.given.left) && isTensor(at.given.right) ? {} : undefined),
    edit: at => {
      const both = operandsOf(at)
      if (both === undefined) return undefined
      const [left, right] = both
      return [before(at.span, 'mul('), replace(at.part(left.span.end, right.span.start), ', '), behind(at.span, ')')]
    },
  }),
  row(errors.badVectorSize, {
    does: 'use an array for more',
    edit: at => {
      const type = at.inner('generic')
      const [elem, count] = type?.args ?? []
      const isVector = type?.base.kind === 'name' && type.base.name === 'vector'
      if (!isVector || elem === undefined || count === undefined) return undefined
      return [replace(type.span, `${textOf(elem.span)}[${textOf(count.span)}]`)]
    },
  }),
  row(
    errors.outputDefault,
    {
      does: 'leave the default value away',
      isPreferred: true,
      edit: at => {
        const param = at.inner('param')
        return param?.name && [replace(at.part(param.name.span.end, at.span.end), '')]
      },
    },
    {
      does: 'or the out before the parameter',
      edit: at => {
        const out = at.inner('param')?.modifiers.find(m => m.name === 'out' || m.name === 'inout')
        return out && [remove(out.span)]
      },
    },
  ),
  row(errors.enumTag, { does: 'use an integer type', isPreferred: true, edit: at => [replace(at.span, 'int')] }),
  row(errors.returnNeedsValue, {
    title: 'return a zero of type {type}',
    edit: at => (at.text === 'return;' ? [replace(at.span, 'return {};')] : undefined),
  }),
  row(errors.returnTakesNoValue, {
    title: 'return no value',
    edit: at => {
      const found = at.inner('return')
      return found && [replace(found.span, 'return;')]
    },
  }),
  row(errors.noReturn, { does: 'end each path in a return', edit: returnZero }),
  row(errors.missingReturn, { does: 'return a value at the end too', edit: returnZero }),
  row(errors.breakOutside, { title: 'remove this break', edit: at => [remove(at.span)] }),
  row(errors.continueOutside, { title: 'remove this continue', edit: at => [remove(at.span)] }),
  row(errors.switchType, {
    title: 'convert it to int',
    find: at => (/^(float|half|double|bool)$/.test(String(at.given.type)) ? {} : undefined),
    edit: at => converted(at.span, 'int'),
  }),
  row(
    errors.conditionType,
    {
      does: ['reduce it by', 'all(...)'],
      find: at => (isTensor(at.given.type) || /^bool\d/.test(String(at.given.type)) ? {} : undefined),
      edit: at => wrap(at.span, 'all(', ')'),
    },
    {
      does: ['reduce it by', 'any(...)'],
      find: at => (isTensor(at.given.type) || /^bool\d/.test(String(at.given.type)) ? {} : undefined),
      edit: at => wrap(at.span, 'any(', ')'),
    },
  ),
  row(
    errors.assignedCondition,
    {
      does: 'compare with ==',
      isPreferred: true,
      edit: at => {
        const e = at.whole('assign')
        const sign = e && at.behind(/=/, e.target.span.end, e.value.span.start)
        return sign && [replace(sign, '==')]
      },
    },
    { does: 'add parentheses', edit: at => wrap(at.span, '(', ')') },
  ),
  row(errors.deprecated, {
    title: 'use {other}',
    find: at => {
      const other = /^use ([A-Za-z_]\w*)/.exec(String(at.given.why))?.[1]
      return other === undefined || at.functions(other).length === 0 ? undefined : { other }
    },
    edit: (at, { other }) => {
      const callee = at.whole('call')?.callee
      return callee?.kind === 'name' ? [replace(callee.span, other!)] : undefined
    },
  }),
  row(errors.secondDefault, {
    title: 'remove this default',
    edit: at => {
      const group = at.inner('group')
      return group && group.labels.length === 1 ? [remove(group.span)] : undefined
    },
  }),
  row(strict.unusedComparison, {
    does: 'assign with =',
    edit: at => {
      const e = at.inner('expr')
      if (e?.expr.kind !== 'binary') return undefined
      const sign = at.behind(/==/, e.expr.left.span.end, e.expr.right.span.start)
      return sign && [replace(sign, '=')]
    },
  }),
  row(strict.otherResult, {
    does: 'let both give the same',
    edit: at => {
      const func = at.inner('func')
      return func?.result && [replace(func.result.span, String(at.given.other))]
    },
  }),
  row(strict.constantWithoutValue, {
    does: 'give it one where it is declared',
    with: '{name}',
    edit: at => initialised(at.inner('var')),
  }),
  row(assigned.unassigned, {
    does: 'give it a value where it is declared',
    with: '{name}',
    isPreferred: true,
    edit: at => initialised(variableAt(at, at.diagnostic.notes[0]?.span)),
  }),
  row(assigned.unassignedOutput, {
    does: 'assign to it on every path',
    with: '{name}',
    edit: at => {
      const body = bodyOf(at)
      return body && [atStart(body, `${at.given.name} = {};`)]
    },
  }),
]
