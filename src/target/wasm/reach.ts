/** Reachability: the callees of functions, as they are compiled, and the globals that they use. Each function is visited once. */
import type { Touched } from './interface.ts'
import { Global, type Func, type Module } from '../../ir/value.ts'
import { walk } from '../../ir/walk.ts'
import { addWrites, noWrites } from '../../opt/alias.ts'
import { listVariables } from '../../opt/lists.ts'
import type { CallTarget } from './plan.ts'

/** What a function's own code leads to. */
interface Links {
  readonly callees: readonly Func[]
  readonly globals: readonly Global[]
  readonly lists: boolean
}

export class Reach {
  readonly #module: Module
  readonly #target: (func: Func) => CallTarget
  readonly #links = new Map<Func, Links>()
  readonly #globals = new Map<Func, readonly Global[]>()
  /** Whether the module keeps lists anywhere. */
  readonly listed: boolean

  constructor(module: Module, target: (func: Func) => CallTarget) {
    this.#module = module
    this.#target = target
    this.listed = module.funcs.some(f => listVariables(f).length > 0)
  }

  /** What a function calls itself. */
  calls(func: Func): readonly Func[] {
    return this.#of(func).callees
  }

  /** A function and all that it leads to. */
  from(func: Func): ReadonlySet<Func> {
    const seen = new Set<Func>([func])
    for (const f of seen) for (const callee of this.calls(f)) seen.add(callee)
    return seen
  }

  /** True for a recursive function. */
  returns(func: Func): boolean {
    const seen = new Set(this.calls(func))
    for (const f of seen) for (const callee of this.calls(f)) seen.add(callee)
    return seen.has(func)
  }

  /** Whether a function, or what it calls, keeps lists. */
  lists(func: Func): boolean {
    return this.listed && [...this.from(func)].some(f => this.#of(f).lists)
  }

  /** The globals that a function and what it calls touch, in order of declaration. */
  globals(func: Func): readonly Global[] {
    if (this.#module.globals.length === 0) return []
    let globals = this.#globals.get(func)
    if (globals === undefined) {
      const found = new Set<Global>()
      for (const f of this.from(func)) for (const global of this.#of(f).globals) found.add(global)
      globals = found.size === 0 ? [] : this.#module.globals.filter(g => found.has(g))
      this.#globals.set(func, globals)
    }
    return globals
  }

  #of(func: Func): Links {
    let links = this.#links.get(func)
    if (links === undefined) {
      const callees = new Set<Func>()
      const globals = new Set<Global>()
      if (func.body !== undefined) {
        walk(func.body, inst => {
          if (inst.attr instanceof Global) globals.add(inst.attr)
          if (inst.op !== 'call') return
          const target = this.#target(inst.attr)
          if (target.kind !== 'op' && target.kind !== 'none') callees.add(target.func)
        })
      }
      links = { callees: [...callees], globals: [...globals], lists: listVariables(func).length > 0 }
      this.#links.set(func, links)
    }
    return links
  }
}

/** The module-level variables that some function writes to. */
export function writtenGlobals(module: Module): ReadonlySet<Global> {
  const written = new Set<Global>()
  for (const func of module.funcs) {
    if (func.body === undefined) continue
    const writes = noWrites()
    walk(func.body, inst => addWrites(writes, inst))
    for (const root of writes.roots) if (root instanceof Global) written.add(root)
  }
  return written
}

export function isBuffer({ space }: Global): boolean {
  return space === 'storage' || space === 'storage_rw'
}

/** The resources among variables of the module. */
export function resourcesOf(globals: readonly Global[]): Touched {
  return {
    buffers: globals.filter(isBuffer).map(g => g.name),
    uniforms: globals.filter(g => g.space === 'uniform').map(g => g.name),
  }
}
