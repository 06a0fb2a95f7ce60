/** Expressions and types back to text, with the parentheses that they need and no more. */
import { assertNever } from '../base/diag.ts'
import type { Attribute, BinaryExpr, Expr, Modifier, Param, Semantic } from './ast.ts'
import { printBlock } from './print.ts'

const binaryLevels: Readonly<Record<BinaryExpr['op'], number>> = {
  ',': 1,
  '||': 4,
  '&&': 5,
  '|': 6,
  '^': 7,
  '&': 8,
  '==': 9,
  '!=': 9,
  '<': 10,
  '>': 10,
  '<=': 10,
  '>=': 10,
  '<<': 11,
  '>>': 11,
  '+': 12,
  '-': 12,
  '*': 13,
  '/': 13,
  '%': 13,
}
const assignLevel = 2
const conditionalLevel = 3
const relationalLevel = 10
const unaryLevel = 14
const postfixLevel = 15
const atomLevel = 16

/** The text of an expression where operators of at least `level` may stand. */
export function printExpr(expr: Expr, level = 1, indent = ''): string {
  const text = printBare(expr, indent)
  return levelOf(expr) < level || (expr.kind === 'binary' && closesAngle(expr, text)) ? `(${text})` : text
}

/** The text of a type. */
export function printType(type: Expr): string {
  return printExpr(type, type.kind === 'binary' ? 8 : 0)
}

function levelOf(expr: Expr): number {
  switch (expr.kind) {
    case 'binary':
      return binaryLevels[expr.op]
    case 'assign':
    case 'lambda':
      return assignLevel
    case 'conditional':
    case 'expand':
      return conditionalLevel
    case 'is':
    case 'as':
      return relationalLevel
    case 'prefix':
    case 'cast':
    case 'noDiff':
    case 'try':
    case 'each':
    case 'modified':
      return unaryLevel
    case 'call':
    case 'index':
    case 'member':
    case 'postfix':
    case 'generic':
      return postfixLevel
    default:
      return atomLevel
  }
}

/** Whether `… > (x)` could be taken for the end of generic arguments that a `<` before it opens. */
function closesAngle(expr: BinaryExpr, text: string): boolean {
  if (expr.op !== '>' && expr.op !== '>>') return false
  const right = printExpr(expr.right, binaryLevels[expr.op] + 1)
  return text.endsWith(right) && /^[(:.]/.test(right)
}

function printBare(expr: Expr, indent: string): string {
  switch (expr.kind) {
    case 'int': {
      const text = `${expr.hex === true ? `0x${expr.value.toString(16)}` : expr.value}${expr.suffix}`
      return expr.grouped === true ? `(${text})` : text
    }
    case 'float':
      return printFloat(expr.value) + expr.suffix
    case 'bool':
      return String(expr.value)
    case 'string':
      return quote(expr.value)
    case 'none':
      return 'none'
    case 'null':
      return 'nullptr'
    case 'this':
      return 'this'
    case 'thisType':
      return 'This'
    case 'name':
      return (expr.global ? '::' : '') + expr.name
    case 'member': {
      const isNumber = expr.base.kind === 'int' || expr.base.kind === 'float'
      return `${printExpr(expr.base, isNumber ? atomLevel + 1 : postfixLevel, indent)}${expr.separator}${expr.name.text}`
    }
    case 'generic':
      return `${printExpr(expr.base, postfixLevel, indent)}<${expr.args.map(printGenericArg).join(', ')}>`
    case 'index':
      return `${printExpr(expr.base, postfixLevel, indent)}[${printArgs(expr.args, indent)}]`
    case 'call':
      return `${printExpr(expr.callee, postfixLevel, indent)}(${printArgs(expr.args, indent)})`
    case 'prefix': {
      const operand = printExpr(expr.operand, unaryLevel, indent)
      return expr.op + (operand.startsWith(expr.op[0]!) ? ' ' : '') + operand
    }
    case 'postfix':
      return printExpr(expr.operand, postfixLevel, indent) + expr.op
    case 'binary':
      return printChain(expr, indent)
    case 'assign':
      return `${printExpr(expr.target, conditionalLevel, indent)} ${expr.op} ${printExpr(expr.value, assignLevel, indent)}`
    case 'conditional': {
      const parts = [printExpr(expr.then, assignLevel, indent), printExpr(expr.else, assignLevel, indent)]
      return `${printExpr(expr.condition, conditionalLevel + 1, indent)} ? ${parts.join(' : ')}`
    }
    case 'cast':
      return `(${printType(expr.type)})${printExpr(expr.value, unaryLevel, indent)}`
    case 'list':
      return `{${printArgs(expr.items, indent)}}`
    case 'lambda': {
      const body =
        expr.body.kind === 'block' ? printBlock(expr.body, indent) : printExpr(expr.body, assignLevel, indent)
      return `(${expr.params.map(printParam).join(', ')}) => ${body}`
    }
    case 'differentiate':
      return `${expr.mode === 'forward' ? 'fwd_diff' : 'bwd_diff'}(${printExpr(expr.func, assignLevel, indent)})`
    case 'noDiff':
      return `no_diff ${printExpr(expr.operand, unaryLevel, indent)}`
    case 'try':
      return `try ${printExpr(expr.operand, unaryLevel, indent)}`
    case 'is':
      return `${printExpr(expr.value, relationalLevel, indent)} is ${printType(expr.type)}`
    case 'as':
      return `${printExpr(expr.value, relationalLevel, indent)} as ${printType(expr.type)}`
    case 'each':
      return `each ${printExpr(expr.operand, unaryLevel, indent)}`
    case 'expand':
      return `expand ${printExpr(expr.operand, conditionalLevel, indent)}`
    case 'sizeof':
      return `${expr.which}(${printExpr(expr.operand, assignLevel, indent)})`
    case 'decltype':
      return `decltype(${printExpr(expr.operand, 1, indent)})`
    case 'pointer':
      return `${printType(expr.target)}*`
    case 'optional':
      return `${printType(expr.target)}?`
    case 'funcType':
      return `functype (${expr.params.map(printParam).join(', ')}) -> ${printType(expr.result)}`
    case 'modified':
      return `${printModifiers(expr.modifiers)}${printType(expr.type)}`
    case 'unsupported':
      return `/* ${expr.feature} */`
    case 'error':
      return '/* error */'
    default:
      return assertNever(expr, 'print')
  }
}

/** A chain of binary operators may be thousands long on its left side, so that side is walked in a loop. */
function printChain(expr: BinaryExpr, indent: string): string {
  const chain: BinaryExpr[] = [expr]
  let left = expr.left
  while (
    left.kind === 'binary' &&
    binaryLevels[left.op] >= binaryLevels[chain.at(-1)!.op] &&
    left.op !== '>' &&
    left.op !== '>>'
  ) {
    chain.push(left)
    left = left.left
  }
  const parts = [printExpr(left, binaryLevels[chain.at(-1)!.op], indent)]
  for (let i = chain.length - 1; i >= 0; i--) {
    const { op, right } = chain[i]!
    parts.push(op === ',' ? ', ' : ` ${op} `, printExpr(right, binaryLevels[op] + 1, indent))
  }
  return parts.join('')
}

function printArgs(args: readonly Expr[], indent: string): string {
  return args.map(arg => printExpr(arg, assignLevel, indent)).join(', ')
}

/** An argument between `<` and `>`, where `>` closes the list and only names, integers and arithmetic are looked for. */
function printGenericArg(arg: Expr): string {
  const isArithmetic = arg.kind === 'binary' && (arg.op === '&' || binaryLevels[arg.op] >= 12)
  const isPlain = levelOf(arg) >= unaryLevel && arg.kind !== 'float' && arg.kind !== 'string' && arg.kind !== 'list'
  return isArithmetic || isPlain || arg.kind === 'expand' ? printExpr(arg, 0) : `(${printExpr(arg, 1)})`
}

function printFloat(value: number): string {
  if (!Number.isFinite(value)) return '1e999'
  const text = String(value)
  return /[.e]/.test(text) ? text : `${text}.0`
}

/** A string literal with its escapes. */
export function quote(text: string): string {
  const named: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r', '"': '\\"', '\\': '\\\\' }
  return `"${text.replace(/[\x00-\x1f"\\]/g, c => named[c] ?? `\\${c.charCodeAt(0).toString(8).padStart(3, '0')}`)}"`
}

/** `const static ` with a space at the end, or nothing. */
export function printModifiers(modifiers: readonly Modifier[]): string {
  return modifiers.map(m => `${m.name} `).join('')
}

/** `[a(1)]` as one bracket each. */
export function printAttribute(attribute: Attribute): string {
  const args = attribute.args.map(
    a => (a.name === undefined ? '' : `${a.name.text}: `) + printExpr(a.value, assignLevel),
  )
  return args.length === 0 ? `[${attribute.name}]` : `[${attribute.name}(${args.join(', ')})]`
}

export function printSemantics(semantics: readonly Semantic[]): string {
  return semantics
    .map(s => {
      if (s.name === ':') return ` : ${printArgs(s.args, '')}`
      return s.args.length === 0 ? ` : ${s.name}` : ` : ${s.name}(${printArgs(s.args, '')})`
    })
    .join('')
}

export function printParam(param: Param): string {
  const head = param.attributes.map(a => `${printAttribute(a)} `).join('') + printModifiers(param.modifiers)
  const type = param.type === undefined ? '' : printType(param.type)
  const name = param.name?.text ?? ''
  const fallback = param.fallback === undefined ? '' : ` = ${printExpr(param.fallback, assignLevel)}`
  return `${head}${type}${type === '' || name === '' ? '' : ' '}${name}${printSemantics(param.semantics)}${fallback}`
}
