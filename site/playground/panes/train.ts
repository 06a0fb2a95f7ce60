/** The pane Train: what is trained and how, its numbers with their gradients, the curve of losses, and the picture as it improves. */
import { picture as askPicture } from '../machine/train-protocol.ts'
import { element } from './element.ts'
import { lossPlot } from './loss-plot.ts'
import type { Pane } from './pane.ts'
import { planForm } from './train-form.ts'
import { sliders } from './train-sliders.ts'

/** How often a picture is drawn at most, in milliseconds; one that takes long is drawn less often, so that training has the rest of the time. */
const drawEvery = 120
const share = 4
/** The longest side of a picture. */
const longest = 480

export const pane: Pane = (into, { machine, training, project, editor }) => {
  const note = element('p', { class: 'training-note', role: 'status', 'data-testid': 'training-note' })
  const goTo = element('button', { type: 'button', 'data-testid': 'stop-place' })
  const fresh = element('button', { type: 'button', 'data-testid': 'fresh' }, 'Begin with default values')
  const plot = lossPlot()
  const canvas = element('canvas', {
    role: 'img',
    'aria-label': 'The picture of what is trained',
    'data-testid': 'training-picture',
  })
  const picture = element('div', { class: 'picture' }, canvas)
  const numbers = element('div')
  const form = element('div')
  into.append(note, element('div', {}, goTo, ' ', fresh), picture, plot.root, numbers, form)
  picture.hidden = true

  let shown = -1
  let followNumbers: ReturnType<typeof sliders> | undefined
  let followForm: ReturnType<typeof planForm> | undefined
  /** What the form knows. News of each step must not undo what the visitor has just written there. */
  let inForm: unknown
  let pictureFails = ''

  const draw = (): void => {
    const { value } = training.state
    const now = training.told.value
    if (value.is === 'ready' && value.opened.id !== shown) {
      const { opened } = value
      shown = opened.id
      pictureFails = ''
      const hadOpen = form.querySelector('details')?.open === true
      const focused =
        document.activeElement instanceof HTMLElement ? document.activeElement.dataset['testid'] : undefined
      followNumbers = sliders(opened, (at, n) => training.set(at, n))
      followForm = planForm(opened, plan => training.edit(plan))
      inForm = opened
      numbers.replaceChildren(followNumbers.root)
      form.replaceChildren(followForm.root)
      const details = form.querySelector('details')
      if (details !== null) details.open = hadOpen
      // A change of the form makes another form; whoever uses the keyboard stays where they are.
      if (focused !== undefined && document.activeElement === document.body)
        into.querySelector<HTMLElement>(`[data-testid="${CSS.escape(focused)}"]`)?.focus()
      picture.hidden = opened.plan.picture === undefined
      paint()
    } else if (value.is === 'ready' && value.opened !== inForm) {
      inForm = value.opened
      followForm?.tuned(value.opened.plan)
    }
    if (value.is === 'waiting') {
      numbers.replaceChildren()
      form.replaceChildren()
      picture.hidden = true
      shown = -1
    }
    if (value.is === 'ready' && now !== undefined && now.id === shown) followNumbers?.update(now)
    const stop = now?.stopped
    const said =
      value.is === 'failed'
        ? value.message
        : value.is === 'ready'
          ? (stop?.message ?? (pictureFails || value.opened.note))
          : 'The program is being prepared …'
    // A live region speaks at each change of its text, so it changes only where there is something else to say.
    if (note.textContent !== said) note.textContent = said
    note.hidden = said === ''
    goTo.hidden = value.is !== 'ready' || stop === undefined || stop.file === ''
    if (stop !== undefined) goTo.textContent = `Go to ${stop.file}:${stop.line}:${stop.column}`
    fresh.hidden = value.is !== 'failed' || project.value.picks['train'] === undefined
  }
  goTo.addEventListener('click', () => {
    const stop = training.told.value?.stopped
    if (stop !== undefined) editor.reveal(stop.file, stop.line - 1, stop.column - 1)
  })
  fresh.addEventListener('click', () => {
    training.edit(undefined)
  })

  let isClosed = false
  let isPainting = false
  let due = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let painted = ''
  const paint = (): void => {
    const { value } = training.state
    if (isClosed || isPainting || picture.hidden || value.is !== 'ready' || pictureFails !== '') return
    const now = performance.now()
    if (now < due) {
      clearTimeout(timer)
      timer = setTimeout(paint, due - now)
      return
    }
    void paintNow(value.opened.id, training.told.value?.step ?? 0)
  }
  const paintNow = async (id: number, step: number): Promise<void> => {
    isPainting = true
    const begin = performance.now()
    const [w, h] = project.value.size
    const scale = Math.min(1, longest / Math.max(w, h))
    try {
      const drawn = await machine.ask(askPicture, {
        id,
        size: [Math.max(1, Math.round(w * scale)), Math.max(1, Math.round(h * scale))],
      })
      if (drawn !== undefined && id === shown) {
        ;[canvas.width, canvas.height] = drawn.size
        canvas.getContext('2d')?.putImageData(new ImageData(drawn.data, ...drawn.size), 0, 0)
        painted = `${id} ${step}`
        canvas.dataset['step'] = `${step}`
      }
    } catch (cause) {
      if (id === shown) {
        pictureFails = `There is no picture: ${cause instanceof Error ? cause.message : String(cause)}`
        picture.hidden = true
        draw()
      }
    } finally {
      isPainting = false
      const took = performance.now() - begin
      due = performance.now() + Math.max(drawEvery, took * (training.playing.value ? share : 0))
      // What came meanwhile is drawn too.
      if (painted !== `${shown} ${training.told.value?.step ?? 0}`) paint()
    }
  }

  const ends = [
    training.state.subscribe(draw),
    training.told.subscribe(() => {
      draw()
      paint()
    }),
    training.curve.subscribe(plot.draw),
  ]
  draw()
  plot.draw(training.curve.value)
  return () => {
    isClosed = true
    clearTimeout(timer)
    for (const end of ends) end()
  }
}
