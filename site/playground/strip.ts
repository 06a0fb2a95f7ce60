/** The transport strip: buttons to train, step and begin again, and how training stands. */
import type { Training } from './training.ts'

/** Brings the strip of the page to life. `show` opens the pane Train. */
export function transport(strip: HTMLElement, training: Training, show: () => void): void {
  const at = <T extends HTMLElement>(id: string): T => strip.querySelector<T>(`#${id}`)!
  const train = at<HTMLButtonElement>('train')
  train.addEventListener('click', () => {
    show()
    training.play()
  })
  at('pause').addEventListener('click', () => training.pause())
  at('step').addEventListener('click', () => training.step())
  at('reset').addEventListener('click', () => training.reset())
  const drawPlaying = (): void => train.setAttribute('aria-pressed', `${training.playing.value}`)
  const draw = (): void => {
    const { value } = training.told
    at('steps').textContent = `${value?.step ?? 0}`
    at('loss').textContent = value === undefined ? '…' : numberText(value.loss)
    at('rate').textContent = value === undefined || !value.playing ? '0' : `${value.stepsPerSecond}`
  }
  const drawState = (): void => {
    const { value } = training.state
    strip.dataset['on'] = value.is === 'ready' ? value.opened.backend : value.is
  }
  training.state.subscribe(drawState)
  training.playing.subscribe(drawPlaying)
  training.told.subscribe(draw)
  drawState()
  drawPlaying()
  draw()
}

/** A number in six digits. */
export function numberText(n: number): string {
  return Number.isFinite(n) ? `${Number(n.toPrecision(6))}` : `${n}`
}
