/** Removes what a program does not need: functions and globals; parameters and results of internal functions. */
import { voidType } from '../ir/type.ts'
import { Func, inputs, outputs, type Global, type Inst, type Module, type ParamSig, type Region } from '../ir/value.ts'
import { useCounts, walk } from '../ir/walk.ts'

/**
 * Removes functions and variables that no root reaches. Roots are entry points and exports; resources stay, since a host
 * may bind them.
 */
export function unused(module: Module): boolean {
  const kept = new Set<Func>(module.funcs.filter(isRoot))
  const globals = new Set<Global>()
  const keepGlobal = (g: Global): void => {
    if (globals.has(g)) return
    globals.add(g)
    if (g.init !== undefined) kept.add(g.init)
  }
  for (const g of module.globals) if (g.space !== 'private' && g.space !== 'workgroup') keepGlobal(g)
  // A set that grows is gone through to its end.
  for (const func of kept) {
    if (func.info.lanewise !== undefined) kept.add(func.info.lanewise)
    if (func.body !== undefined)
      walk(func.body, inst => {
        if (inst.op === 'call') kept.add(inst.attr)
        else if (inst.op === 'global') keepGlobal(inst.attr)
      })
  }
  const before = module.funcs.length + module.globals.length
  retain(module.funcs, f => kept.has(f))
  retain(module.globals, g => globals.has(g))
  return module.funcs.length + module.globals.length < before
}

function isRoot(func: Func): boolean {
  return func.info.entry !== undefined || func.info.exported !== undefined
}

function retain<T>(list: T[], wanted: (item: T) => boolean): void {
  list.splice(0, list.length, ...list.filter(wanted))
}

/** Drops parameters and results that nothing uses, from internal functions. Gives the functions in which something may now be unused. */
export function unusedParams(module: Module): ReadonlySet<Func> {
  const calls = new Map<Func, { readonly call: Inst; readonly from: Func }[]>()
  const pinned = new Set<Func>()
  const resultUsed = new Map<Func, boolean[]>()
  for (const func of module.funcs) {
    for (const other of [
      func.info.forward,
      func.info.backward,
      func.info.substitute,
      func.info.lanewise,
      func.request?.of,
    ]) {
      if (other !== undefined) pinned.add(other)
    }
    if (func.body === undefined) continue
    let known: readonly number[] | undefined
    walk(func.body, inst => {
      if (inst.op !== 'call') return
      const counts = (known ??= useCounts(func))
      const callee = inst.attr
      const list = calls.get(callee)
      const site = { call: inst, from: func }
      if (list === undefined) calls.set(callee, [site])
      else list.push(site)
      const used = resultUsed.get(callee) ?? callee.results.map(() => false)
      inst.results.forEach((r, k) => {
        if (counts[r.id]! > 0) used[k] = true
      })
      resultUsed.set(callee, used)
    })
  }
  for (const g of module.globals) if (g.init !== undefined) pinned.add(g.init)
  const slim = new Map<Func, Func>()
  const callers = new Set<Func>()
  for (let i = 0; i < module.funcs.length; i++) {
    const func = module.funcs[i]!
    const sites = calls.get(func)
    if (isRoot(func) || pinned.has(func) || sites === undefined || func.body === undefined) continue
    if (func.info.intrinsics !== undefined || func.request !== undefined) continue
    const counts = useCounts(func)
    const params = func.body.params.map(p => counts[p.id]! > 0)
    const results = resultUsed.get(func)!
    if (!params.includes(false) && !results.includes(false)) continue
    const copy = withoutUnused(func, params, results)
    slim.set(func, copy)
    module.funcs[i] = copy
    for (const { call, from } of sites) {
      callers.add(from)
      call.attr = copy
      call.args = call.args.filter((_, k) => params[k]!)
      call.results = call.results.filter((_, k) => results[k]!)
      call.results.forEach((r, k) => {
        r.index = k
      })
    }
  }
  return new Set([...slim.values(), ...[...callers].map(f => slim.get(f) ?? f)])
}

/** The function with the chosen parameters and results only; it takes over the body. */
function withoutUnused(func: Func, params: readonly boolean[], results: readonly boolean[]): Func {
  const ins = inputs(func.sig).filter((_, k) => params[k]!)
  const outs = outputs(func.sig)
  const given: ParamSig[] =
    func.sig.result.kind === 'void'
      ? [...outs]
      : [{ name: 'result', type: func.sig.result, dir: 'out', noDiff: func.sig.resultNoDiff }, ...outs]
  const [first, ...rest] = given.filter((_, k) => results[k]!)
  const slim = new Func(
    func.name,
    {
      params: [
        ...ins.map(p => ({ ...p, dir: 'in' as const })),
        ...rest.map(p => ({ ...p, name: p.dir === 'inout' ? `${p.name}_out` : p.name, dir: 'out' as const })),
      ],
      result: first?.type ?? voidType,
      resultNoDiff: first?.noDiff ?? false,
    },
    func.span,
  )
  Object.assign(slim.info, func.info)
  slim.nextValue = func.nextValue
  const body: Region = func.body!
  body.params = body.params.filter((_, k) => params[k]!)
  body.params.forEach((p, k) => {
    p.index = k
  })
  walk(body, inst => {
    if (inst.op === 'ret') inst.args = inst.args.filter((_, k) => results[k]!)
  })
  slim.body = body
  // What is only mentioned may still call the old one.
  func.body = undefined
  return slim
}
