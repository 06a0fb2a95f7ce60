/** The page: trains the program as `plan.ts` says, on WebGPU where there is a device, and on the CPU elsewhere. */
import live from './main.slang?runtime'
import { plan, size } from './plan.ts'
import { Player, Session, type Place, type State } from '../../train/index.ts'

const at = <T extends HTMLElement = HTMLElement>(choice: string): T => document.querySelector<T>(choice)!
const say = (message: string): void => void (at('#message').textContent = message)
const button = at<HTMLButtonElement>('button')
const canvas = at<HTMLCanvasElement>('canvas')

async function place(): Promise<Place> {
  const adapter = await navigator.gpu?.requestAdapter()
  return adapter ? { backend: 'webgpu', device: await adapter.requestDevice() } : { backend: 'cpu' }
}

async function main(): Promise<void> {
  const program = live.compile()
  const session = await Session.open(program, plan, await place())
  let drawing = false
  const show = async (state: State): Promise<void> => {
    at('#steps').textContent = String(state.step)
    at('#loss').textContent = state.loss.toPrecision(6)
    at('#parameters').textContent = parametersOf(session, state)
    if (state.stopped !== undefined) say(state.stopped.message)
    if (plan.picture === undefined || drawing) return
    drawing = true
    const picture = await session.picture(size)
    if (picture !== undefined) {
      ;[canvas.width, canvas.height] = picture.size
      canvas.getContext('2d')!.putImageData(new ImageData(picture.data, ...picture.size), 0, 0)
    }
    drawing = false
  }
  const fail = (cause: unknown): void => say(cause instanceof Error ? cause.message : String(cause))
  const player = new Player(session, { onState: state => void show(state).catch(fail), onError: fail })
  player.speed = plan.speed
  canvas.hidden = plan.picture === undefined
  button.hidden = false
  button.addEventListener('click', () => {
    if (player.playing) player.pause()
    else player.play()
    button.textContent = player.playing ? 'Pause' : 'Train'
  })
  await show(session.state)
  player.play()
}

/** What is trained, where it is few numbers. */
function parametersOf({ slices }: Session, { parameters }: State): string {
  if (parameters.length > 12) return `${parameters.length} numbers are trained.`
  const names = slices.flatMap(({ pick, length }) =>
    Array.from({ length }, (_, i) => {
      const label = pick.labels[i % pick.labels.length]!
      return label === '' ? pick.name : `${pick.name}.${label}`
    }),
  )
  return names.map((name, i) => `${name} = ${parameters[i]!.toPrecision(4)}`).join(', ')
}

main().catch((cause: unknown) => say(cause instanceof Error ? cause.message : String(cause)))
