/**
 * Splices programs: puts parts of some into others. Whole declarations make programs that mostly compile; expressions and
 * statements among programs that were joined before, often; ranges of tokens, hardly ever.
 */
import type { Corpus } from './corpus.ts'
import type { Random } from './random.ts'
import {
  declarations,
  expressions,
  functions,
  nameOf,
  statements,
  text,
  tokens,
  variables,
  type FunctionRange,
  type Range,
  type Token,
} from './tokens.ts'

/** A program of parts of those given. */
export function spliced(random: Random, { sound, wrong }: Corpus): string {
  const any = (): Token[] => tokens(random.one(wrong.length > 0 && random.pick(8) === 0 ? wrong : sound))
  const [a, b] = [any(), any()]
  switch (random.pick(10)) {
    case 0:
      return cut(random, a, b)
    case 1:
      return inserted(random, a, b)
    case 2:
      return `${text(a)}\nnamespace spliced {\n${text(b)}\n}\n`
    case 3:
      return withDeclarations(random, a, b)
    default:
      return exchanged(random, joined(random, a, b))
  }
}

/** The first tokens of one program, and the last of another. */
function cut(random: Random, a: readonly Token[], b: readonly Token[]): string {
  return `${text(a.slice(0, random.pick(a.length)))} ${text(b.slice(random.pick(b.length)))}`
}

/** Some tokens of one program in the place of some of another. */
function inserted(random: Random, a: readonly Token[], b: readonly Token[]): string {
  const [at, from] = [random.pick(a.length), random.pick(b.length)]
  return `${text(a.slice(0, at))} ${text(b.slice(from, from + 1 + random.pick(12)))} ${text(a.slice(at + random.pick(6)))}`
}

/** Some declarations of one program anywhere among those of another, in structs and functions too. */
function withDeclarations(random: Random, a: readonly Token[], b: readonly Token[]): string {
  const own = declarations(b)
  if (own.length === 0) return text(a)
  let list = [...a]
  for (let k = random.pick(3); k >= 0; k--) {
    const places =
      random.pick(3) > 0
        ? declarations(list).map(d => d.to + 1)
        : list.flatMap((t, i) => (/^[{};]$/.test(t.text) ? [i + 1] : []))
    const at = places.length === 0 ? 0 : random.one(places)
    const { from, to } = random.one(own)
    list = [...list.slice(0, at), ...spaced(b.slice(from, to + 1)), ...list.slice(at)]
  }
  return text(list)
}

/** Two programs in one: of what both declare by name, one of the two. */
function joined(random: Random, a: readonly Token[], b: readonly Token[]): Token[] {
  const names = new Set<string>()
  const parts: Token[][] = []
  const [first, second] = random.pick(2) === 0 ? [a, b] : [b, a]
  for (const list of [first, second]) {
    // A name may be overloaded within a program.
    const own = new Set<string>()
    for (const d of declarations(list)) {
      const name = nameOf(list, d)
      if (name !== undefined && names.has(name)) continue
      if (name !== undefined) own.add(name)
      parts.push(spaced(list.slice(d.from, d.to + 1)))
    }
    for (const name of own) names.add(name)
  }
  return parts.flat()
}

/** One to three expressions, statements or bodies in the place of others. */
function exchanged(random: Random, list: Token[]): string {
  for (let k = random.pick(3); k >= 0; k--) {
    const all = functions(list)
    if (all.length === 0) break
    const f = random.one(all)
    const g = random.pick(2) === 0 ? f : random.one(all)
    const kind = random.pick(8)
    const parts: (of: FunctionRange) => readonly Range[] =
      kind < 4
        ? of => expressions(list, of)
        : kind < 7
          ? of => statements(list, of)
          : of => [{ from: of.body, to: of.to }]
    const [to, from] = [parts(f), parts(g)]
    if (to.length === 0 || from.length === 0) continue
    const [place, part] = [random.one(to), random.one(from)]
    list = [...list.slice(0, place.from), ...spaced(adapted(random, list, part, g, f)), ...list.slice(place.to + 1)]
  }
  return `${text(list)}\n`
}

/** A part of one function with variables of another in the place of its own, of the same type where there is one. */
function adapted(
  random: Random,
  list: readonly Token[],
  { from, to }: Range,
  own: FunctionRange,
  other: FunctionRange,
): Token[] {
  const part = list.slice(from, to + 1)
  if (own.from === other.from || random.pick(8) === 0) return part
  const there = variables(list, other)
  const names = new Map<string, string>()
  for (const v of variables(list, own)) {
    // What the part declares itself stays.
    if (there.length === 0 || (v.at >= from && v.at <= to)) continue
    const alike = there.filter(o => o.type === v.type)
    names.set(v.name, random.one(alike.length > 0 ? alike : there).name)
  }
  return part.map((t, i) => (names.has(t.text) && part[i - 1]?.text !== '.' ? { ...t, text: names.get(t.text)! } : t))
}

/** The same tokens, apart from what stands before them. */
function spaced(list: readonly Token[]): Token[] {
  return list.map((t, i) => (i > 0 || t.gap !== '' ? t : { ...t, gap: '\n' }))
}
