/**
 * Prints a tree as text. Reading the text gives the same tree but for positions, which a test checks. Only `unsupported` and
 * `error` nodes are lost.
 */
import { assertNever } from '../base/diag.ts'
import type {
  AccessorDecl,
  Attribute,
  Block,
  Decl,
  Expr,
  FuncDecl,
  Generics,
  Module,
  Name,
  Stmt,
  TypeExpr,
  VarDecl,
  Where,
} from './ast.ts'
import {
  printAttribute,
  printExpr,
  printModifiers,
  printParam,
  printSemantics,
  printType,
  quote,
} from './print-expr.ts'

const step = '    '

/** The text of a module. */
export function printModule(module: Module): string {
  return module.decls.map(decl => printDecl(decl)).join('')
}

/** The lines of a declaration. */
export function printDecl(decl: Decl, indent = ''): string {
  const attributes = decl.attributes.map(a => `${indent}${printAttribute(a)}\n`).join('')
  return `${attributes}${indent}${printModifiers(decl.modifiers)}${printBare(decl, indent)}\n`
}

function printBare(decl: Decl, indent: string): string {
  const where = 'generics' in decl ? printWhere(decl.generics?.where) : ''
  switch (decl.kind) {
    case 'moduleDecl': {
      const name = /^[\w.]+$/.test(decl.name.text) ? decl.name.text : quote(decl.name.text)
      return `${decl.implementing ? 'implementing' : 'module'} ${name};`
    }
    case 'import':
      return `import ${decl.isPath ? quote(decl.name.text) : decl.name.text};`
    case 'include':
      return `__include ${decl.isPath ? quote(decl.name.text) : decl.name.text};`
    case 'namespace':
      return `namespace ${decl.name.text}${printMembers(decl.decls, indent)}`
    case 'using':
      return `using ${printType(decl.target)};`
    case 'struct': {
      const head = `struct ${decl.name.text}${printGenerics(decl.generics)}${printBounds(decl.bases, ', ')}${where}`
      if (decl.alias !== undefined) return `${head} = ${printType(decl.alias)};`
      return decl.members === undefined ? `${head};` : head + printMembers(decl.members, indent)
    }
    case 'interface': {
      const head = `interface ${decl.name.text}${printGenerics(decl.generics)}${printBounds(decl.bases, ', ')}${where}`
      return decl.members === undefined ? `${head};` : head + printMembers(decl.members, indent)
    }
    case 'enum': {
      const head = `enum ${decl.isClass ? 'class ' : ''}${decl.name.text}`
      return `${head}${printBounds(decl.bases, ', ')}${printCases(decl.cases, indent)}`
    }
    case 'enumCase':
      return decl.name.text + printInit(decl.value)
    case 'extension': {
      const head = `extension${printGenerics(decl.generics)} ${printType(decl.target)}${printBounds(decl.bases, ', ')}`
      return head + where + printMembers(decl.members, indent)
    }
    case 'func':
      return printFunc(decl, indent)
    case 'init':
      return `__init${printGenerics(decl.generics)}${printParams(decl.params)}${where}${printBody(decl.body, indent)}`
    case 'subscript': {
      const head = `__subscript${printGenerics(decl.generics)}${printParams(decl.params)} -> ${printType(decl.result)}${where}`
      return head + printAccessors(decl.accessors, indent)
    }
    case 'property':
      return `property ${decl.name.text} : ${printType(decl.type)}${printAccessors(decl.accessors, indent)}`
    case 'accessor':
      return `${decl.which}${decl.param === undefined ? '' : printParams([decl.param])}${printBody(decl.body, indent)}`
    case 'alias':
      return `typealias ${decl.name.text}${printGenerics(decl.generics)}${where} = ${printType(decl.target)};`
    case 'associatedtype': {
      const fallback = decl.fallback === undefined ? '' : ` = ${printType(decl.fallback)}`
      return `associatedtype ${decl.name.text}${printBounds(decl.bounds, ', ')}${printWhere(decl.where)}${fallback};`
    }
    case 'var':
      return `${printVars([decl], indent)};`
    case 'buffer':
      return `${decl.which} ${decl.name.text}${printSemantics(decl.semantics)}${printMembers(decl.members, indent)}`
    case 'assert': {
      const message = decl.message === undefined ? '' : `, ${printExpr(decl.message, 2)}`
      return `static_assert(${printExpr(decl.condition, 2)}${message});`
    }
    case 'unsupported':
      return `/* ${decl.feature} */`
    default:
      return assertNever(decl, 'print')
  }
}

/** In C style unless the type of the result could not stand before the name. */
function printFunc(decl: FuncDecl, indent: string): string {
  if (decl.extends !== undefined) {
    const { derives, target } = decl.extends
    const word = derives === 'apply' ? '__apply' : derives === 'forward' ? 'fwd_diff' : 'bwd_diff'
    const head = `__func_extension${printGenerics(decl.generics)} ${word}(${printExpr(target, 2)})${printParams(decl.params)}`
    const result = decl.result === undefined ? '' : ` -> ${printType(decl.result)}`
    return `${head}${result}${printWhere(decl.generics?.where)}${printBody(decl.body, indent)}`
  }
  const head = `${decl.name.text}${printGenerics(decl.generics)}${printParams(decl.params)}`
  const throws = decl.throws === undefined ? '' : ` throws ${printType(decl.throws)}`
  const tail = `${printSemantics(decl.semantics)}${throws}${printWhere(decl.generics?.where)}${printBody(decl.body, indent)}`
  const modern = decl.result === undefined || decl.result.kind === 'modified' || decl.result.kind === 'binary'
  if (!modern) return `${printType(decl.result)} ${head}${tail}`
  return `func ${head}${decl.result === undefined ? '' : ` -> ${printType(decl.result)}`}${tail}`
}

/** `int a = 1, b[2]`: declarations that were made together. */
function printVars(decls: readonly VarDecl[], indent: string): string {
  const first = decls[0]!
  if (first.form !== 'typed') {
    const parts = decls.map(
      d => `${d.name.text}${d.type === undefined ? '' : ` : ${printType(d.type)}`}${printInit(d.init, indent)}`,
    )
    return `${first.form} ${parts.join(', ')}`
  }
  const element = decls.length === 1 ? first.type! : commonElement(decls)
  const parts = decls.map(
    d => `${d.name.text}${printSuffixes(d.type!, element)}${printSemantics(d.semantics)}${printInit(d.init, indent)}`,
  )
  return `${printType(element)} ${parts.join(', ')}`
}

/** The type that all declarations made together begin with: the same object under their array suffixes. */
function commonElement(decls: readonly VarDecl[]): TypeExpr {
  for (let element = decls[0]!.type!; ;) {
    if (decls.every(d => isUnder(element, d.type!))) return element
    if (element.kind !== 'index') return element
    element = element.base
  }
}

function isUnder(element: TypeExpr, type: TypeExpr): boolean {
  let t = type
  while (t !== element && t.kind === 'index') t = t.base
  return t === element
}

function printSuffixes(type: TypeExpr, element: TypeExpr): string {
  let text = ''
  for (let t = type; t !== element && t.kind === 'index'; t = t.base)
    text += `[${t.args.map(a => printExpr(a, 2)).join(', ')}]`
  return text
}

function printInit(init: Expr | undefined, indent = ''): string {
  return init === undefined ? '' : ` = ${printExpr(init, 2, indent)}`
}

function printParams(params: FuncDecl['params']): string {
  return `(${params.map(printParam).join(', ')})`
}

function printBounds(bounds: readonly TypeExpr[], separator: string): string {
  return bounds.length === 0 ? '' : ` : ${bounds.map(printType).join(separator)}`
}

function printGenerics(generics: Generics | undefined): string {
  if (generics === undefined || generics.params.length === 0) return ''
  const params = generics.params.map(param => {
    if (param.kind === 'valueParam') {
      return `let ${param.pack ? 'each ' : ''}${param.name.text} : ${printType(param.type)}${param.fallback === undefined ? '' : ` = ${printExpr(param.fallback, 12)}`}`
    }
    const fallback = param.fallback === undefined ? '' : ` = ${printType(param.fallback)}`
    return `${param.pack ? 'each ' : ''}${param.name.text}${printBounds(param.bounds, ' & ')}${fallback}`
  })
  return `<${params.join(', ')}>`
}

function printWhere(where: readonly Where[] | undefined): string {
  return (where ?? [])
    .map(clause => {
      switch (clause.kind) {
        case 'conforms':
          return ` where ${clause.optional ? 'optional ' : ''}${printType(clause.subject)}${printBounds(clause.bounds, ', ')}`
        case 'equals':
          return ` where ${printType(clause.left)} == ${printType(clause.right)}`
        case 'counts':
          return ` where ${printExpr(clause.left, 12)} == ${printExpr(clause.right, 12)}`
        case 'nonempty':
          return ` where nonempty(${printType(clause.pack)})`
        case 'converts':
          return ` where ${printType(clause.to)}(${printType(clause.from)})`
        default:
          return assertNever(clause, 'print')
      }
    })
    .join('')
}

function printMembers(decls: readonly Decl[], indent: string): string {
  return `\n${indent}{\n${decls.map(d => printDecl(d, indent + step)).join('')}${indent}}`
}

function printCases(cases: readonly Decl[], indent: string): string {
  return `\n${indent}{\n${cases.map(c => `${printDecl(c, indent + step).trimEnd()},\n`).join('')}${indent}}`
}

function printAccessors(accessors: readonly AccessorDecl[], indent: string): string {
  return accessors.length === 0 ? ';' : printMembers(accessors, indent)
}

function printBody(body: Block | undefined, indent: string): string {
  return body === undefined ? ';' : `\n${indent}${printBlock(body, indent)}`
}

/** `{ … }` over several lines; the first is not indented. */
export function printBlock(block: Block, indent: string): string {
  return `{\n${block.stmts.map(stmt => printStmt(stmt, indent + step)).join('')}${indent}}`
}

/** The lines of a statement. */
export function printStmt(stmt: Stmt, indent = ''): string {
  const attributes = 'attributes' in stmt ? stmt.attributes.map((a: Attribute) => `${printAttribute(a)} `).join('') : ''
  return `${indent}${attributes}${printStmtBare(stmt, indent)}\n`
}

function printStmtBare(stmt: Stmt, indent: string): string {
  const expr = (e: Expr): string => printExpr(e, 1, indent)
  switch (stmt.kind) {
    case 'block':
      return printBlock(stmt, indent)
    case 'expr':
      return `${printStatementExpr(stmt.expr, indent)};`
    case 'decl':
      return printDeclStmt(stmt.decls, indent)
    case 'empty':
      return ';'
    case 'if':
      return `if (${expr(stmt.condition)})${printThen(stmt.then, stmt.else, indent)}`
    case 'ifLet':
      return `if (let ${stmt.name.text} = ${expr(stmt.value)})${printThen(stmt.then, stmt.else, indent)}`
    case 'switch': {
      const groups = stmt.groups.map(group => {
        const labels = group.labels.map(
          label => `${indent}${label === undefined ? 'default' : `case ${expr(label)}`}:\n`,
        )
        return labels.join('') + group.body.map(s => printStmt(s, indent + step)).join('')
      })
      return `switch (${expr(stmt.value)})\n${indent}{\n${groups.join('')}${indent}}`
    }
    case 'for': {
      const init = stmt.init === undefined ? ';' : printStmtBare(stmt.init, indent)
      const condition = stmt.condition === undefined ? '' : ` ${expr(stmt.condition)}`
      return `for (${init}${condition};${stmt.step === undefined ? '' : ` ${expr(stmt.step)}`})${printNested(stmt.body, indent)}`
    }
    case 'while':
      return `while (${expr(stmt.condition)})${printNested(stmt.body, indent)}`
    case 'do':
      return `do${printNested(stmt.body, indent)}\n${indent}while (${expr(stmt.condition)});`
    case 'break':
      return `break${labelText(stmt.label)};`
    case 'continue':
      return 'continue;'
    case 'return':
      return stmt.value === undefined ? 'return;' : `return ${expr(stmt.value)};`
    case 'discard':
      return 'discard;'
    case 'throw':
      return `throw ${expr(stmt.value)};`
    case 'doCatch': {
      const clauses = stmt.clauses.map(
        c =>
          `\n${indent}catch${c.param === undefined ? '' : ` (${printParam(c.param)})`}${printNested(c.body, indent)}`,
      )
      return `do${printNested(stmt.body, indent)}${clauses.join('')}`
    }
    case 'defer':
      return `defer${printNested(stmt.body, indent)}`
    case 'label':
      return `${stmt.name.text}:${printNested(stmt.body, indent)}`
    case 'targetSwitch': {
      const cases = stmt.cases.map(c => {
        const labels = c.targets.map(
          target => `${indent}${target === undefined ? 'default' : `case ${target.text}`}:\n`,
        )
        return labels.join('') + c.body.map(s => printStmt(s, indent + step)).join('')
      })
      return `__${stmt.which}_switch\n${indent}{\n${cases.join('')}${indent}}`
    }
    case 'unsupported':
      return `/* ${stmt.feature} */`
    default:
      return assertNever(stmt, 'print')
  }
}

function labelText(label: Name | undefined): string {
  return label === undefined ? '' : ` ${label.text}`
}

/** `a * b;` would read as a declaration of `b`. */
function printStatementExpr(expr: Expr, indent: string): string {
  const isOperator = expr.kind === 'binary' || expr.kind === 'conditional'
  return printExpr(expr, isOperator ? 17 : 1, indent)
}

function printDeclStmt(decls: readonly Decl[], indent: string): string {
  const vars = decls.filter(d => d.kind === 'var')
  const first = vars[0]
  if (first !== undefined && vars.length === decls.length && vars.length > 1) {
    return `${first.attributes.map(a => `${printAttribute(a)} `).join('')}${printModifiers(first.modifiers)}${printVars(vars, indent)};`
  }
  const head = decls[0]
  if (head?.kind === 'struct' && vars.length > 0) {
    // `struct { … } a, b;`: the type of the variables stands before them already.
    const names = printVars(vars, indent).slice(head.name.text.length)
    return `${printDecl(head, indent).trim()}${names};`
  }
  return decls
    .map(d => printDecl(d, indent))
    .join('')
    .trim()
}

function printNested(stmt: Stmt, indent: string): string {
  return stmt.kind === 'block' ? ` ${printBlock(stmt, indent)}` : `\n${printStmt(stmt, indent + step).trimEnd()}`
}

/** The branches of an `if`. One without `else` inside a branch that has one needs braces, which reading would keep as a block. */
function printThen(then: Stmt, otherwise: Stmt | undefined, indent: string): string {
  const text = printNested(then, indent)
  if (otherwise === undefined) return text
  const isChain = otherwise.kind === 'if' || otherwise.kind === 'ifLet'
  const tail = isChain ? ` ${printStmtBare(otherwise, indent)}` : printNested(otherwise, indent)
  return `${text}\n${indent}else${tail}`
}
