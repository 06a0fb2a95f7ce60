/** Makes a program smaller while it still shows the same: runs of lines go first, then runs of tokens. */
import { text, tokens } from './tokens.ts'

/** A program that `shows` what the source does, found in so many tries. */
export async function shrink(
  source: string,
  shows: (smaller: string) => Promise<boolean>,
  tries: number,
): Promise<string> {
  let left = tries
  const pass = async (parts: readonly string[]): Promise<string[]> => {
    let kept = [...parts]
    for (let size = Math.ceil(kept.length / 2); size >= 1 && left > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let at = 0; at < kept.length && left > 0;) {
        const smaller = [...kept.slice(0, at), ...kept.slice(at + size)]
        left--
        if (await shows(smaller.join(''))) kept = smaller
        else at += size
      }
    }
    return kept
  }
  let small = source
  for (let before = ''; before !== small && left > 0;) {
    before = small
    small = (await pass(small.split(/(?<=\n)/))).join('')
    const list = tokens(small)
    const tail = small.slice(text(list).length)
    small = (await pass([...list.map(t => t.gap + t.text), tail])).join('')
  }
  return small
}
