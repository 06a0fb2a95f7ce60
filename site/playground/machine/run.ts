/** Answers the requests of running a program: one program at a time, its frames one after the other. */
import type { Program } from 'cotangent'
import { attributesOf, literal, stringsOf, type Attribute } from './attributes.ts'
import { compiled, evaluated, orRefused, problemsOf } from './compiled.ts'
import { cpuRunner } from './cpu.ts'
import { copiesPictures, onLoss, theDevice } from './device.ts'
import { gpuRunner } from './gpu.ts'
import { modules } from './modules.ts'
import { planned, type Known, type Moment, type Plan } from './plan.ts'
import { hashOf, shortened } from './printing.ts'
import { Failed } from './protocol.ts'
import {
  buffers,
  compile,
  frame,
  input,
  pixels,
  play,
  prepare,
  printed,
  run,
  stopped,
  type Backend,
  type BufferTable,
  type Control,
  type Input,
  type RunAsk,
  type RunAnswer,
} from './run-protocol.ts'
import type { Runner } from './runner.ts'
import { serve, tell } from './server.ts'
import { leavesOf, numberAt } from './values.ts'
import type { ProjectFile } from '../project/project.ts'

/** A program that runs. */
interface Running {
  readonly plan: Plan
  readonly runner: Runner
  readonly began: number
  moment: Moment
  /** The frame that is being made, for which the next one waits. */
  busy: Promise<void> | undefined
  /** Whether an input changed since the last frame. */
  stale: boolean
  said: number
}

const rowsShown = 256
const printEvery = 250

let current: Running | undefined
let playing = true
/** What `run` was asked last: an answer that comes later than that of a newer one is dropped. */
let latest = 0
const start: Moment = { seconds: 0, frame: 0, mouse: [0, 0, 0, 0], keys: new Set(), controls: {} }
/** A canvas whose pixels come from memory has no need of a device, which might hang. */
const inMemory = { willReadFrequently: true } as const
const canvases: { [backend in Backend]?: OffscreenCanvas } = {}

serve(prepare, async () => {
  try {
    await theDevice()
    return { webgpu: true, why: '' }
  } catch (cause) {
    return { webgpu: false, why: cause instanceof Error ? cause.message : String(cause) }
  }
})

serve(compile, ({ files }) => problemsOf(compiled(files).diagnostics))

serve(run, async (ask: RunAsk): Promise<RunAnswer> => {
  const own = ++latest
  if (ask.canvas !== undefined) canvases[ask.backend] = ask.canvas
  const begin = performance.now()
  const program = compiled(ask.files)
  if (program.entries.length === 0) {
    await stop()
    return {
      problems: problemsOf(program.diagnostics),
      controls: [],
      entries: 0,
      picture: false,
      animated: false,
      threads: undefined,
      compiled: performance.now() - begin,
      ran: 0,
    }
  }
  const { reflection } = orRefused(() => program.wgsl())
  const plan = planned(reflection, await known(ask.files, program), ask.size)
  const middle = performance.now()
  // Not before: while a program has mistakes, the one before it goes on. Workers end with the last program that is loaded, so the old one is closed only after the new one is loaded.
  const before = await halted()
  const runner = await runnerOf(ask, program, plan).finally(() => before?.end())
  if (own !== latest) {
    runner.end()
    throw new Failed({ message: 'Another program runs instead.' })
  }
  current = { plan, runner, began: performance.now(), moment: start, busy: undefined, stale: false, said: -Infinity }
  const running = current
  await step(running, true)
  if (plan.animated) schedule(running)
  return {
    problems: problemsOf(program.diagnostics),
    controls: controlsOf(plan),
    entries: program.entries.length,
    picture: plan.shown !== undefined || plan.raster !== undefined,
    animated: plan.animated,
    threads: runner.threads,
    compiled: middle - begin,
    ran: performance.now() - middle,
  }
})

serve(input, ({ controls, mouse, keys }: Input) => {
  if (current === undefined) return {}
  const { moment } = current
  current.moment = {
    ...moment,
    controls: { ...moment.controls, ...controls },
    ...(keys && { keys: new Set(keys) }),
    ...(mouse && {
      mouse: [...mouse.at, mouse.pressed[0] * (mouse.down ? -1 : 1), mouse.pressed[1] * (mouse.clicked ? -1 : 1)],
    }),
  }
  current.stale = true
  if (!current.plan.animated || !playing) void refresh(current)
  return {}
})

serve(play, ({ on }) => {
  const was = playing
  playing = on
  if (on && !was && current?.plan.animated === true) schedule(current)
  return {}
})

serve(buffers, async () => {
  const running = current
  if (running === undefined) return []
  const tables: BufferTable[] = []
  for (const plan of running.plan.buffers) {
    if (modulesOnly.has(plan.name)) continue
    const rows = Math.min(rowsShown, plan.elements)
    const bytes = await running.runner.bytes(plan, rows * plan.stride)
    const view = new DataView(bytes.buffer)
    const leaves = leavesOf(plan.type)
    tables.push({
      name: plan.name,
      elements: plan.elements,
      columns: leaves.map(l => l.name),
      rows: Array.from({ length: rows }, (_, i) =>
        leaves.map(l => numberAt(view, i * plan.stride + l.offset, l.scalar)),
      ),
    })
  }
  return tables
})

serve(pixels, async () => await current?.runner.picture())

onLoss(() => {
  // Its runner belongs to the device that is gone; if it runs on the CPU, it stays.
  if (current !== undefined && onDevice.has(current.runner)) current = undefined
})

const onDevice = new WeakSet<Runner>()
/** Buffers that modules of ours have for themselves. */
const modulesOnly: ReadonlySet<string> = new Set(['printedWords'])

async function runnerOf(ask: RunAsk, program: Program, plan: Plan): Promise<Runner> {
  const strings = new Map(program.files.flatMap(f => stringsOf(f.text)).map(text => [hashOf(text), text]))
  const canvas = canvases[ask.backend]
  if (ask.backend === 'cpu')
    return await cpuRunner(program, plan, canvas?.getContext('2d', inMemory) ?? undefined, strings)
  const device = await theDevice()
  if (copiesPictures) await rehearse(program, plan, strings)
  const context = copiesPictures ? canvas?.getContext('2d', inMemory) : canvas?.getContext('webgpu')
  const runner = await gpuRunner(program, plan, device, context ?? undefined, strings, ask.size)
  onDevice.add(runner)
  return runner
}

/**
 * Runs the first frame on the CPU, where a program that hangs can be ended with this worker. A device in software has no watchdog: a hang there takes all
 * pages of the browser with it. What the CPU cannot run goes to the device unrehearsed.
 */
async function rehearse(program: Program, plan: Plan, strings: ReadonlyMap<number, string>): Promise<void> {
  let runner: Runner
  try {
    runner = await cpuRunner(program, plan, undefined, strings, 1)
  } catch {
    return
  }
  try {
    await runner.frame(start, true)
  } catch {
    // What goes wrong there may go right on the device, which says so otherwise.
  } finally {
    runner.end()
  }
}

/** The attributes of a program, with the values of their arguments. */
async function known(files: readonly ProjectFile[], program: Program): Promise<Known[]> {
  const names = new Set([...files.map(f => f.name), ...Object.keys(modules)])
  const attributes = program.files.filter(f => names.has(f.name)).flatMap(f => attributesOf(f.text, f.name))
  const open = new Map<string, Set<string>>()
  for (const { args, file } of attributes)
    for (const a of args)
      if (a.kind === 'expression' && literal(a.text) === undefined)
        open.set(file, (open.get(file) ?? new Set()).add(a.text))
  const values = new Map<string, number>()
  for (const [file, texts] of open) {
    const list = [...texts]
    const found = await evaluated(files, file, list)
    list.forEach((text, i) => values.set(`${file}\n${text}`, found[i]!))
  }
  const valueOf = (a: Attribute['args'][number], file: string): number | string =>
    a.kind === 'text' ? a.text : (literal(a.text) ?? values.get(`${file}\n${a.text}`)!)
  return attributes.map(a => ({ ...a, args: a.args.map(arg => valueOf(arg, a.file)) }))
}

function controlsOf({ uniforms }: Plan): Control[] {
  return uniforms.flatMap(({ source }) => (typeof source === 'object' && 'control' in source ? [source.control] : []))
}

/** Runs a frame, once the one before it is done. */
async function step(running: Running, isFirst: boolean): Promise<void> {
  const begin = performance.now()
  running.stale = false
  await running.runner.frame(running.moment, isFirst)
  const now = performance.now()
  if (now - running.said > printEvery || !running.plan.animated) {
    running.said = now
    tell(printed, { text: shortened(await running.runner.printed()) })
  }
  tell(frame, { number: running.moment.frame, milliseconds: performance.now() - begin })
}

/** Makes frames until none is due, unless that is already done. */
function refresh(running: Running): Promise<void> {
  running.busy ??= (async () => {
    try {
      while (running.stale && running === current) await step(running, false)
    } catch (cause) {
      fell(running, cause)
    } finally {
      running.busy = undefined
    }
  })()
  return running.busy
}

function schedule(running: Running): void {
  const next = async (): Promise<void> => {
    if (running !== current || !playing) return
    const { moment } = running
    running.moment = { ...moment, frame: moment.frame + 1, seconds: (performance.now() - running.began) / 1000 }
    running.stale = true
    await refresh(running)
    if (running === current && playing) soon(() => void next())
  }
  soon(() => void next())
}

function soon(work: () => void): void {
  if ('requestAnimationFrame' in globalThis) globalThis.requestAnimationFrame(work)
  else setTimeout(work, 16)
}

function fell(running: Running, cause: unknown): void {
  if (running !== current) return
  current = undefined
  tell(stopped, { message: cause instanceof Error ? cause.message : String(cause) })
}

async function stop(): Promise<void> {
  const runner = await halted()
  runner?.end()
}

/** Stops what runs, once its frame is done. Gives its runner, which is still to be ended. */
async function halted(): Promise<Runner | undefined> {
  const running = current
  current = undefined
  await running?.busy
  return running?.runner
}
