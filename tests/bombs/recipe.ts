/** What bombs are made with: a bomb is a source of at most 64 KB, made when it is needed. */

/** The largest source that must compile in bounded time and memory, in characters. */
export const largest: number = 64 * 1024

/** Bombs by name. */
export type Bombs = Readonly<Record<string, () => string>>

/** So many parts, one after the other. */
export function times(n: number, part: (i: number) => string): string {
  let text = ''
  for (let i = 0; i < n; i++) text += part(i)
  return text
}

/** As many parts as a source of the largest size has room for beside `around`. */
export function fill(part: (i: number) => string, around = ''): string {
  let text = ''
  for (let i = 0, next = part(0); text.length + next.length + around.length <= largest; next = part(++i)) text += next
  return text
}

/** How many levels a source has room for where each level adds so many characters. */
export function levels(each: string, around = ''): number {
  return Math.floor((largest - around.length) / each.length)
}

/** A compute kernel with a buffer `o` of floats. */
export function kernel(body: string, around = ''): string {
  return `RWStructuredBuffer<float> o;\n${around}\n[shader("compute")] [numthreads(1, 1, 1)]\nvoid main(uint3 id : SV_DispatchThreadID) { ${body} }\n`
}

/** `text` with brackets of one kind around it, as deep as fits. */
export function nest(open: string, middle: string, close: string, around = ''): string {
  const n = levels(open + close, around + middle)
  return open.repeat(n) + middle + close.repeat(n)
}
