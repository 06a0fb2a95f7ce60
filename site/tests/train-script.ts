/**
 * Trains starters in a process of its own, which holds a device. Arguments: `cpu,webgpu`, then names with numbers of steps: `spring=200`. Prints one JSON
 * object: for each starter and backend the losses of all steps, and the milliseconds that they took.
 */
import { readFileSync } from 'node:fs'
import { compile } from 'cotangent'
import { openDevice } from '../../tests/support/script-device.ts'
import { Session, type Place, type Plan } from '../playground/train/index.ts'

const [folder, backends, ...asked] = process.argv.slice(2)

const places: Place[] = []
for (const backend of backends!.split(',')) {
  if (backend === 'webgpu') {
    const { globals } = await import('webgpu')
    Object.assign(globalThis, globals)
    places.push({ backend, device: await openDevice() })
  } else places.push({ backend: 'cpu' })
}

const results: Record<string, unknown> = {}
for (const one of asked) {
  const [name, steps] = one.split('=') as [string, string]
  const facts = JSON.parse(readFileSync(`${folder}/${name}.json`, 'utf8')) as { picks: { train: Plan } }
  const program = compile(readFileSync(`${folder}/${name}.slang`, 'utf8'), { fileName: `${name}.slang` })
  const problems = program.diagnostics.map(d => `${d.severity} ${d.code}: ${d.message}`)
  const of: Record<string, unknown> = { problems }
  for (const place of program.ok ? places : []) {
    const opening = performance.now()
    const session = await Session.open(program, facts.picks.train, place)
    const began = performance.now()
    const losses = [session.state.loss]
    const gradients = [...session.state.gradients]
    for (let i = 0; i < Number(steps); i++) losses.push((await session.step()).loss)
    const milliseconds = performance.now() - began
    const picture = await session.picture([48, 48])
    of[place.backend] = {
      losses,
      gradients,
      opened: began - opening,
      milliseconds,
      stopped: session.state.stopped,
      picture: picture && [...picture.data],
    }
    await session.close()
  }
  results[name] = of
}
// A process that holds a device does not end by itself.
process.stdout.write(`${JSON.stringify(results)}\n`, () => process.exit(0))
