import { readFileSync, readdirSync } from 'node:fs'
import { LimitReached } from '../../src/base/limits.ts'
import { expect, it } from 'vitest'
import { WgslProgram } from '../../src/program.ts'
import { renderDiagnostics } from '../../src/base/render.ts'
import { Sink } from '../../src/base/diag.ts'
import { attributesOf } from '../../src/check/types/attribute.ts'
import { checkBody } from '../../src/check/statements/stmt.ts'
import { Cx } from '../../src/check/model/context.ts'
import { core } from '../../src/check/core.generated.ts'
import { wgslCore } from '../../src/check/core-wgsl.generated.ts'
import type { Decl } from '../../src/check/model/decl.ts'
import { Library, type LibraryData } from '../../src/check/modules/library.ts'
import { packsOf, writtenOut } from '../../src/check/types/pack.ts'
import { above } from '../../src/check/check.ts'
import { intrinsics as js } from '../../src/target/js/intrinsic.ts'
import { leafIntrinsics } from '../../src/target/leaves/intrinsic.ts'
import { intrinsics as wasm } from '../../src/target/wasm/intrinsic.ts'
import { intrinsics as wgsl } from '../../src/target/wgsl/intrinsic.ts'
import { isReserved } from '../../src/target/wgsl/names.ts'

// Bodies of the library are checked when a program needs them; here all of them are.

/** Checks a declaration and what stands in it. */
function checkAll(cx: Cx, decl: Decl, seen: Set<Decl>): void {
  if (seen.has(decl)) return
  seen.add(decl)
  if (decl.kind === 'func' && decl.generics?.packed === true) {
    // A function of packs is checked as it is written out, here with two types in each.
    const written = writtenOut(
      cx,
      decl,
      packsOf(decl.generics).map(() => 2),
    )
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
  const library = new Library(core)
  const cx = new Cx(sink, library, above)
  library.attach(cx)
  const decls = library.lookup(name)
  expect(decls.length).toBeGreaterThan(0)
  for (const decl of decls) checkAll(cx, decl, new Set())
  expect(renderDiagnostics(sink.list)).toBe('')
})

it('needs no elementary functions of its own where WGSL has them by name', () => {
  const own = new Set(Object.keys(core.names).filter(name => !Object.hasOwn(wgslCore.names, name)))
  expect(own.size).toBeGreaterThan(10)
  const lines = wgslCore.files.flatMap(f => f.text.split('\n'))
  expect(lines.filter(line => (line.match(/\b__\w+(?=\()/g) ?? []).some(name => own.has(name)))).toEqual([])
})

/** What a pattern with one group finds in the library. */
function inLibrary(pattern: RegExp): string[] {
  const text = core.files.map(f => f.text).join('\n')
  return [...new Set([...text.matchAll(pattern)].map(m => m[1]!))].sort()
}

/** Which of the names stand in the sources of a folder of `src`, apart from the table. */
function inSources(folder: string, names: Iterable<string>): string[] {
  const path = new URL(`../../src/${folder}/`, import.meta.url)
  const files = readdirSync(path).filter(f => f.endsWith('.ts') && f !== 'intrinsic.ts')
  const text = files.map(f => readFileSync(new URL(f, path), 'utf8')).join('\n')
  return [...names].filter(name => text.includes(`'${name}'`))
}

const tables = { wgsl, js, wasm }

it.each(['wgsl', 'js', 'wasm'] as const)(
  'names target intrinsics that the table of %s has, and all of these',
  target => {
    const named = inLibrary(new RegExp(`\\b${target}:\\s*"([^"]*)"`, 'g'))
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter(name => !tables[target].has(name))).toEqual([])
    const unused = [...tables[target].keys()].filter(name => !named.includes(name))
    const called = target === 'wgsl' ? [...inSources('lower', unused), ...inSources('target/wgsl', unused)] : []
    expect(unused.filter(name => !called.includes(name))).toEqual([])
  },
)

it('accesses textures by intrinsics of WGSL', () => {
  const named = inLibrary(/__intrinsic\("(texture\w+)/g)
  const rows = [...wgsl.values()].filter(i => i.texture !== undefined).map(i => i.name)
  expect(named).toEqual(rows.sort())
  expect(inSources('lower', named)).toEqual(named)
})

it('leaves no name of a target intrinsic of WGSL to a program', () => {
  expect([...wgsl.keys()].filter(name => !isReserved(name))).toEqual([])
})

it('has a target intrinsic of leaves only where legalising calls it', () => {
  expect(inSources('target/leaves', leafIntrinsics)).toEqual(leafIntrinsics)
})

it('is resolved anew where a limit was met in the middle of it', () => {
  const source = `[Differentiable] float f(float3 v) { return pow(length(normalize(v) * 2), 1.5) + smoothstep(0.0, 1.0, v.x); }
    RWStructuredBuffer<float> o; [shader("compute")] [numthreads(1, 1, 1)]
    void main() { var p = diffPair(float3(1, 2, 3), float3(0)); bwd_diff(f)(p, 1.0); o[0] = p.d.x; }`
  let left = Infinity
  const table = (of: LibraryData['names']): LibraryData['names'] =>
    new Proxy(of, {
      get: (_, name) => {
        if (left-- === 0) throw new LimitReached('nesting', 300, undefined)
        return of[name as string]
      },
    })
  const unresolved = (): LibraryData => ({
    files: [...core.files],
    names: table(core.names),
    extensions: table(core.extensions),
    derivatives: table(core.derivatives),
  })
  const expected = new WgslProgram(source, {}, unresolved()).wgsl().code
  for (let n = 0; n < 30; n++) {
    const library = unresolved()
    left = n
    expect(new WgslProgram(source, {}, library).diagnostics.map(d => d.message)).toEqual([
      'the program takes more than 300 levels of what is in one another',
    ])
    left = Infinity
    expect(new WgslProgram(source, {}, library).wgsl().code).toBe(expected)
  }
})
