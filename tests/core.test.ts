import { expect, it } from 'vitest'
import { renderDiagnostics } from '../src/base/render.ts'
import { Sink } from '../src/base/diag.ts'
import { attributesOf } from '../src/check/attribute.ts'
import { checkBody } from '../src/check/stmt.ts'
import { Cx } from '../src/check/context.ts'
import { core, wgslCore } from '../src/check/core.generated.ts'
import type { Decl } from '../src/check/decl.ts'
import { Library } from '../src/check/library.ts'
import { PackedLibrary, type PackedFile } from '../src/check/packed.ts'
// @ts-expect-error a tool without types
import { coreSource as sourceOf } from '../tools/core-index.mjs'
import { packsOf, writtenOut } from '../src/check/pack.ts'

const coreSource = sourceOf as (samples: boolean) => string

// Bodies of the library are checked when a program needs them; here all of them are.

/** Checks a declaration and what stands in it. */
function checkAll(cx: Cx, decl: Decl, seen: Set<Decl>): void {
  if (seen.has(decl)) return
  seen.add(decl)
  if (decl.kind === 'func' && decl.generics?.packed === true) {
    // A function of packs is checked as it is written out, here with two types in each.
    const written = writtenOut(cx, decl, packsOf(decl.generics).map(() => 2))
    expect(written).not.toBeNull()
    checkAll(cx, written!, seen)
  } else if (decl.kind === 'func') {
    attributesOf(cx, decl)
    checkBody(cx, decl)
  }
  if ('accessors' in decl) for (const a of decl.accessors) checkAll(cx, a, seen)
  if (decl.kind === 'struct' || decl.kind === 'extension' || decl.kind === 'interface') {
    for (const members of decl.inner.names.values()) for (const m of members) checkAll(cx, m, seen)
  }
}

it.each(Object.keys(core.names))('%s of the library has nothing wrong with it', name => {
  const sink = new Sink()
  const library = new Library(core, sink)
  const cx = new Cx(sink, library)
  library.attach(cx)
  const decls = library.lookup(name)
  expect(decls.length).toBeGreaterThan(0)
  for (const decl of decls) checkAll(cx, decl, new Set())
  expect(renderDiagnostics(sink.list)).toBe('')
})

it('needs elementary functions of its own only where WGSL has some by name', () => {
  const own = new Set(Object.keys(core.names).filter(name => !Object.hasOwn(wgslCore.names, name)))
  const without = wgslCore.files.flatMap(f => f.text.split('\n'))
    .filter(line => (line.match(/\b__\w+(?=\()/g) ?? []).some(name => own.has(name)))
  expect(without.length).toBeGreaterThan(10)
  expect(without.filter(line => !line.includes('__spell(wgsl:'))).toEqual([])
})

it('is in bundles, without what tests read of it, with the same names', () => {
  const files = JSON.parse(/^const files = (.*)$/m.exec(coreSource(false))![1]!) as PackedFile[]
  const bundled = new PackedLibrary(files)
  for (const table of ['names', 'extensions', 'derivatives'] as const) expect(Object.keys(bundled[table])).toEqual(Object.keys(wgslCore[table]))
  expect(files.some(f => f.text.includes('[__sample('))).toBe(false)
})
