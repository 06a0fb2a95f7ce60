/** Answers the requests of training: one session at a time, in the worker that runs programs. */
import type { Program } from 'cotangent'
import type { Json } from '../project/project.ts'
import {
  defaultPlan,
  planFrom,
  PlanError,
  Player,
  Session,
  trainables,
  type Curve,
  type Place,
  type Plan,
  type Snapshot,
  type Trainable,
  type Watch,
} from '../train/index.ts'
import { compiled, orRefused } from './compiled.ts'
import { isSoftware, theDevice } from './device.ts'
import { Failed } from './protocol.ts'
import { awaited, during, serve, tell } from './server.ts'
import {
  close,
  fell,
  open,
  pause,
  picture,
  play,
  reset,
  set,
  step,
  told,
  tune,
  type OpenAsk,
  type Opened,
  type ShownSlice,
  type Subject,
  type Told,
} from './train-protocol.ts'

interface Training {
  readonly id: number
  /** What it trains and how, but for its rates: a session of the same key can go on from it. */
  readonly key: string
  readonly session: Session
  readonly player: Player
  readonly slices: readonly ShownSlice[]
  /** When the curve was told last. */
  curveTold: number
}

/** How many numbers of a parameter or buffer the page shows. */
const mostShown = 16
const curveEvery = 150

let current: Training | undefined
/** Where the session before was. */
let kept: { readonly key: string; readonly snapshot: Snapshot; readonly curve: Curve } | undefined
let latest = 0

const watch: Watch = { running: awaited, tracing: work => during('compiling', work) }

const untrainable =
  'Nothing here can be trained. Training needs a function that is [Differentiable] and public, takes floats and returns one float: [Differentiable] public float loss(float x) { return x * x; }. Or a kernel with a buffer DiffRWStructuredBuffer<float> loss.'

serve(open, async (ask: OpenAsk): Promise<Opened> => {
  const own = ++latest
  await end()
  const program = compiled(ask.files)
  const all = orRefused(() => during('compiling', () => trainables(program)))
  if (all.length === 0) throw new Failed({ message: untrainable })
  const { plan, note } = planOf(program, all, ask.plan)
  const key = JSON.stringify([ask.files, { ...plan, optimizer: null, speed: null }])
  const before = ask.goesOn && kept?.key === key ? kept : undefined
  if (before === undefined) kept = undefined
  const options = { from: before?.snapshot, curve: before?.curve, watch }
  const device = ask.backend === 'webgpu' ? await theDevice() : undefined
  const place: Place = device === undefined ? { backend: 'cpu' } : { backend: 'webgpu', device, rehearses: isSoftware }
  const session = await opened(program, plan, place, options).catch((cause: unknown) => {
    throw cause instanceof PlanError ? new Failed({ message: cause.message }) : cause
  })
  if (own !== latest) {
    await session.close()
    throw new Failed({ message: 'Another program is trained instead.' })
  }
  const player = new Player(session, {
    onState: () => say(training),
    onError: cause => {
      if (training === current) tell(fell, { id: ask.id, message: messageOf(cause) })
    },
  })
  player.speed = plan.speed
  const training: Training = { id: ask.id, key, session, player, slices: slicesOf(session), curveTold: -Infinity }
  current = training
  return {
    id: ask.id,
    backend: ask.backend,
    subjects: all.map(subjectOf),
    plan,
    note,
    slices: training.slices,
    told: stateOf(training, true),
  }
})

serve(close, async () => {
  latest++
  await end()
  return {}
})
serve(play, ({ id }) => {
  of(id)?.player.play()
  return {}
})
serve(pause, ({ id }) => {
  of(id)?.player.pause()
  return {}
})
serve(step, async ({ id }) => {
  const training = of(id)
  training?.player.pause()
  await training?.session.step()
  if (training !== undefined) say(training)
  return {}
})
serve(reset, async ({ id }) => {
  const training = of(id)
  training?.player.pause()
  await training?.session.reset()
  if (training !== undefined) say(training)
  return {}
})
serve(set, async ({ id, at, value }) => {
  const training = of(id)
  if (training === undefined) return {}
  const { session } = training
  const parameters = session.state.parameters.slice()
  parameters[at] = value
  await session.set(parameters)
  say(training)
  return {}
})
serve(tune, ({ id, optimizer, speed }) => {
  const training = of(id)
  if (training === undefined) return {}
  training.session.optimizer = optimizer
  training.player.speed = speed
  return {}
})
serve(picture, ({ id, size }) => of(id)?.session.picture(size))

/** The session of a number, unless another has taken its place. */
function of(id: number): Training | undefined {
  return current?.id === id ? current : undefined
}

async function end(): Promise<void> {
  const training = current
  current = undefined
  if (training === undefined) return
  const { key, session, player } = training
  player.pause()
  kept = { key, snapshot: session.snapshot, curve: session.curve }
  // A device that is gone closes nothing.
  await session.close().catch(() => undefined)
}

function opened(...given: Parameters<typeof Session.open>): Promise<Session> {
  return during('compiling', () => Session.open(...given)).catch((cause: unknown) =>
    orRefused(() => {
      throw cause
    }),
  )
}

/** The plan of the project; or one to begin with, where the project has none or its program has changed. */
function planOf(
  program: Program,
  all: readonly Trainable[],
  json: Json | undefined,
): { readonly plan: Plan; readonly note: string } {
  const fresh = (): Plan => defaultPlan(all[0]!, program)
  if (json === undefined) return { plan: fresh(), note: '' }
  let plan: Plan
  try {
    plan = planFrom(json)
  } catch (cause) {
    throw cause instanceof PlanError ? new Failed({ message: cause.message }) : cause
  }
  const subject = all.find(t => t.name === plan.subject)
  if (subject === undefined)
    return {
      plan: fresh(),
      note: `The program has no ${plan.subject} to train any more, so ${all[0]!.name} is trained.`,
    }
  const gone = plan.parameters.find(name => !subject.picks.some(p => p.name === name))
  const whole = defaultPlan(subject, program)
  if (gone === undefined) return { plan: completed(plan, whole), note: '' }
  return { plan: whole, note: `${plan.subject} has no ${gone} to train any more.` }
}

/** A plan with what another one has of arguments, uniforms and buffers, where it says nothing of them. */
function completed(plan: Plan, whole: Plan): Plan {
  const parts = (['values', 'buffers', 'uniforms'] as const).flatMap(part =>
    whole[part] === undefined ? [] : [[part, { ...whole[part], ...plan[part] }]],
  )
  return { ...plan, ...(Object.fromEntries(parts) as Partial<Plan>) }
}

function subjectOf(t: Trainable): Subject {
  const picks = t.picks.map(p => p.name)
  const others = t.kind === 'function' ? t.of.params.map(p => p.name).filter(name => !picks.includes(name)) : []
  return { name: t.name, kind: t.kind, picks, others }
}

function slicesOf(session: Session): ShownSlice[] {
  return session.slices.map(slice => {
    const { pick, at, length } = slice
    const { offsets, stride } = session.leavesOf(slice)
    const elements = Math.floor(length / stride)
    const shown = Array.from({ length: elements * offsets.length }, (_, i) => i)
      .slice(0, mostShown)
      .map(i => {
        const [element, leaf] = [Math.floor(i / offsets.length), i % offsets.length]
        const index = pick.kind === 'parameter' ? '' : `[${element}]`
        const label = pick.labels[leaf]!
        return {
          at: at + element * stride + offsets[leaf]!,
          name: `${pick.name}${index}${label === '' ? '' : `.${label}`}`,
        }
      })
    return { name: pick.name, count: elements * offsets.length, shown }
  })
}

function say(training: Training): void {
  if (training !== current) return
  const now = performance.now()
  const isDue = !training.player.playing || now - training.curveTold > curveEvery
  if (isDue) training.curveTold = now
  tell(told, stateOf(training, isDue))
}

function stateOf({ id, session, player, slices }: Training, hasCurve: boolean): Told {
  const { step: number, loss, stepsPerSecond, parameters, gradients, stopped } = session.state
  const shown = slices.flatMap(s => s.shown.map(n => n.at))
  return {
    id,
    step: number,
    loss,
    stepsPerSecond,
    playing: player.playing,
    numbers: Float32Array.from(shown, at => parameters[at]!),
    gradients: Float32Array.from(shown, at => gradients[at]!),
    lengths: session.slices.map(({ at, length }) =>
      Math.sqrt(gradients.subarray(at, at + length).reduce((sum, g) => sum + g * g, 0)),
    ),
    ...(hasCurve && { curve: Float32Array.from(session.curve.points.flatMap(p => [p.step, p.loss])) }),
    ...(stopped && { stopped }),
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
