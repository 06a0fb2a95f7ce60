/** WebAssembly's text format of a module, for reading. */
import { isLaneAccess, isMemoryOp, laneOf, mostPages, offsetOf, pagesOf, takesLane } from './encode.ts'
import { baseGlobal, ownGlobals, type Callee, type Code, type WasmCode } from './node.ts'
import { op, opName, typeName, type ValType } from './opcode.ts'
import { schedule } from './schedule.ts'

/** Prints a module; gives its functions their indices. */
export function printWat(module: WasmCode): string {
  const callees: Callee[] = [...module.imports, ...module.codes.map(c => c.callee)]
  callees.forEach((c, i) => {
    c.index = i
  })
  const lines: string[] = ['(module']
  const size = [pagesOf(module.memory), mostPages(module), module.shared ? 'shared' : undefined]
  lines.push(`  (import "host" "memory" (memory ${size.filter(part => part !== undefined).join(' ')}))`)
  lines.push('  (import "host" "base" (global $base i32))')
  for (const c of module.imports) lines.push(`  (import "host" "${c.name}" (func ${signature(c, [])}))`)
  for (const name of module.globals)
    lines.push(`  (global $${symbol(name)} (export ${JSON.stringify(name)}) (mut i32) (i32.const 0))`)
  for (const code of module.codes) printCode(code, callees, module, lines)
  for (const e of module.exports) lines.push(`  (export ${JSON.stringify(e.name)} (func $${symbol(e.callee.name)}))`)
  if (module.start !== undefined) lines.push(`  (start $${symbol(module.start.name)})`)
  for (const { bytes } of module.data) {
    lines.push(`  (data "${[...bytes].map(b => `\\${b.toString(16).padStart(2, '0')}`).join('')}")`)
  }
  lines.push(')')
  return `${lines.join('\n')}\n`
}

function symbol(name: string): string {
  return name.replace(/[^\w.$]/g, '_')
}

function signature(c: Callee, names: readonly string[]): string {
  const params = c.params
    .map((t, i) => ` (param ${names[i] === undefined ? '' : `${names[i]} `}${typeName[t]})`)
    .join('')
  const results = c.results.length === 0 ? '' : ` (result ${c.results.map(t => typeName[t]).join(' ')})`
  return `$${symbol(c.name)}${params}${results}`
}

function printCode(code: Code, callees: readonly Callee[], module: WasmCode, lines: string[]): void {
  const ins = schedule(code)
  const name = (local: number): string => `$${local}`
  lines.push(
    `  (func ${signature(
      code.callee,
      code.callee.params.map((_t, i) => name(i)),
    )}`,
  )
  const locals: ValType[] = code.locals.slice(code.callee.params.length)
  if (locals.length > 0) {
    lines.push(`    ${locals.map((t, i) => `(local ${name(code.callee.params.length + i)} ${typeName[t]})`).join(' ')}`)
  }
  let indent = 4
  for (const i of ins) {
    if (i.op === op.end || i.op === op.else) indent -= 2
    lines.push(' '.repeat(indent) + text(i.op, i.a, i.table, callees, module))
    if (i.op === op.block || i.op === op.loop || i.op === op.if || i.op === op.else) indent += 2
  }
  lines.push('  )')
}

function text(
  code: number,
  a: number | bigint,
  table: readonly number[] | undefined,
  callees: readonly Callee[],
  module: WasmCode,
): string {
  const name = opName(code)
  if (isMemoryOp(code)) {
    const offset = offsetOf(a as number)
    const access = offset === 0 ? name : `${name} offset=${offset}`
    return isLaneAccess(code) ? `${access} ${laneOf(a as number)}` : access
  }
  if (takesLane(code)) return `${name} ${a}`
  switch (code) {
    case op.localGet:
    case op.localSet:
    case op.localTee:
      return `${name} $${a}`
    case op.call:
      return `${name} $${symbol(callees[a as number]!.name)}`
    case op.globalGet:
    case op.globalSet:
      return `${name} $${a === baseGlobal ? 'base' : symbol(module.globals[(a as number) - ownGlobals]!)}`
    case op.brTable:
      return `${name} ${[...table!, a].join(' ')}`
    case op.br:
    case op.brIf:
    case op.memoryInit:
    case op.i32Const:
    case op.i64Const:
      return `${name} ${a}`
    case op.f32Const:
    case op.f64Const:
      return `${name} ${floatText(a as number)}`
    case op.v128Const:
      return `${name} i32x4 ${words(a as bigint).join(' ')}`
    case op.i8x16Shuffle:
      return `${name} ${words(a as bigint)
        .flatMap(word => [0, 8, 16, 24].map(by => (word >>> by) & 0xff))
        .join(' ')}`
    default:
      return name
  }
}

/** The four words of a vector. */
function words(bits: bigint): readonly number[] {
  return [0n, 32n, 64n, 96n].map(by => Number(BigInt.asUintN(32, bits >> by)))
}

function floatText(x: number): string {
  if (Number.isNaN(x)) return 'nan'
  if (!Number.isFinite(x)) return x > 0 ? 'inf' : '-inf'
  return Object.is(x, -0) ? '-0' : String(x)
}
