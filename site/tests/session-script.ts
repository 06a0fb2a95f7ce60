/** Sessions on the CPU and on a device, in a process of its own, which holds the device. Prints one JSON object. */
import { compile } from 'cotangent'
import { globals } from 'webgpu'
import { openDevice } from '../../tests/support/script-device.ts'
import { Session, type Place, type Plan } from '../playground/train/index.ts'
import { sessionCases } from './session-cases.ts'

Object.assign(globalThis, globals)
const device = await openDevice()
const cpu: Place = { backend: 'cpu' }
const gpu: Place = { backend: 'webgpu', device }

const results: Record<string, unknown> = {}
for (const [name, { text, plan }] of Object.entries(sessionCases)) {
  const program = compile(text)
  const of: Record<string, unknown> = {}
  for (const place of [cpu, gpu]) {
    const session = await Session.open(program, plan, place)
    const steps = [session.state]
    for (let i = 0; i < 3; i++) steps.push(await session.step())
    const reset = await session.reset()
    const again = await session.step()
    of[place.backend] = [...steps, reset, again].map(s => ({
      step: s.step,
      loss: s.loss,
      parameters: [...s.parameters],
      gradients: [...s.gradients],
      stopped: s.stopped,
    }))
    await session.close()
  }
  results[name] = of
}

// The backend changes after three of six steps, in both directions.
const { text, plan } = sessionCases['buffers']!
const program = compile(text)
const mixed: Plan = { ...plan, optimizer: { kind: 'adam', rate: 0.1 } }
const ends: number[][] = []
for (const [first, second] of [
  [cpu, cpu],
  [cpu, gpu],
  [gpu, cpu],
] as const) {
  const before = await Session.open(program, mixed, first)
  for (let i = 0; i < 3; i++) await before.step()
  const after = await Session.open(program, mixed, second, { from: before.snapshot })
  const losses = [before.state.loss, after.state.loss]
  for (let i = 0; i < 3; i++) await after.step()
  ends.push([...losses, after.state.step, after.state.loss])
  await before.close()
  await after.close()
}
results['switched'] = ends

// A process that holds a device does not end by itself.
process.stdout.write(`${JSON.stringify(results)}\n`, () => process.exit(0))
