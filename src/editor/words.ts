/** Words of the language. Nearly all may also be names, so what a word is depends on where it stands. */
import { builtinType } from '../check/model/builtin.ts'

/** Words that an editor shows as keywords where they are not names. */
export const keywords: ReadonlySet<string> = new Set(
  `associatedtype as break case catch cbuffer class column_major const constref continue decltype default defer discard do dyn each else enum
expand export extension extern false flat for func functype globallycoherent groupshared if implementing import in inline inout interface
internal is let module namespace new no_diff nointerpolation none noperspective nullptr operator out override precise private property public
return row_major set snorm some static static_assert struct switch tbuffer this This throw throws true try typealias typedef typename uniform
unorm using var volatile where while get ref fwd_diff bwd_diff __fwd_diff __bwd_diff __include __init __subscript __generic __extension
__func_extension __apply __exported __target_switch sizeof alignof countof`.split(/\s+/),
)

/** Words that cannot be names at all. */
const reserved: ReadonlySet<string> = new Set(
  `break case const continue default defer discard do else enum extension false for if import in inout interface let namespace no_diff
nullptr operator out return static struct switch this This true typealias typedef using var while fwd_diff bwd_diff __fwd_diff __bwd_diff
__init __subscript __include void vector matrix Array Tuple`.split(/\s+/),
)

/** Whether a text can name something that a program declares. */
export function isName(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text) && !reserved.has(text) && builtinType(text) === null
}
