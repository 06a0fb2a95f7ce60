/**
 * Makes the page on reverse mode interactive. The page is complete without this: its first block is the function, and below the heading of each stage
 * stands the IR of that stage. Here the function becomes an editor, and each stage gets a picture. The compiler loads in a worker, once
 * the reader comes near the first stage or begins to edit.
 */
import type { Answer, Asked, Shown } from './protocol.ts'

/** How long the reader must rest before the function is compiled, in milliseconds. */
const rest = 300
/** A compilation that takes longer is given up, and its worker ended. */
const patience = 20_000

interface Stage {
  readonly name: string
  readonly block: HTMLElement
  readonly code: HTMLElement
  readonly figure: HTMLElement
}

/** Takes hold of the page inside `root`; gives what lets go of it. */
export function interactive(root: ParentNode): () => void {
  const blocks = [...root.querySelectorAll<HTMLElement>('div.language-hlsl')]
  const [first, ...others] = blocks
  const stages = [...root.querySelectorAll<HTMLElement>('div.language-ir')].map(stageOf)
  if (first === undefined || stages.length === 0) return () => undefined

  const original = textOf(first)
  const { box, editor, status, reset } = editorFor(first, original)
  let worker: Worker | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let deadline: ReturnType<typeof setTimeout> | undefined
  let asked = 0
  let isBusy = false
  let isStale = false

  const end = (): void => {
    clearTimeout(deadline)
    worker?.terminate()
    worker = undefined
    isBusy = false
  }
  const ask = (): void => {
    // One at a time: what is typed meanwhile is compiled after it.
    if (isBusy) {
      isStale = true
      return
    }
    isStale = false
    isBusy = true
    worker ??= opened()
    worker.postMessage({ id: ++asked, source: editor.value } satisfies Asked)
    deadline = setTimeout(() => {
      end()
      say('The function takes too long to compile.', true)
      if (isStale) ask()
    }, patience)
  }
  const opened = (): Worker => {
    const made = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
    made.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
      clearTimeout(deadline)
      isBusy = false
      if (isStale) ask()
      else show(data)
    })
    made.addEventListener('error', () => {
      end()
      say('The compiler did not load.', true)
    })
    return made
  }
  const say = (text: string, isProblem: boolean): void => {
    // A text that stays is not said again.
    if (status.textContent !== text) status.textContent = text
    status.classList.toggle('problem', isProblem)
    for (const { figure, block } of stages)
      for (const part of [figure, block]) part.classList.toggle('stale', isProblem)
  }
  const show = (answer: Answer): void => {
    if (answer.subject === undefined) {
      say(answer.problem.trimEnd(), true)
      return
    }
    for (const stage of stages) {
      const found = answer.stages.find(s => s.stage === stage.name)
      if (found !== undefined) fill(stage, found)
    }
    say(`All stages show the function ${answer.subject}.`, false)
  }

  editor.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(ask, rest)
  })
  reset.addEventListener('click', () => {
    put(original)
  })
  const put = (text: string): void => {
    editor.value = text
    editor.rows = text.split('\n').length + 1
    ask()
  }
  const buttons = others.map(block => {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'reverse-mode-take'
    button.textContent = 'Put this function in the editor'
    button.addEventListener('click', () => {
      put(textOf(block))
      editor.focus()
    })
    block.after(button)
    return button
  })

  // The compiler is large: whoever reads only the beginning does without.
  const near = new IntersectionObserver(
    entries => {
      if (!entries.some(e => e.isIntersecting)) return
      near.disconnect()
      if (asked === 0) ask()
    },
    { rootMargin: '200px' },
  )
  near.observe(stages[0]!.block)

  return () => {
    near.disconnect()
    clearTimeout(timer)
    end()
    for (const part of [box, ...buttons, ...stages.map(s => s.figure)]) part.remove()
  }
}

const textOf = (block: HTMLElement): string => (block.querySelector('code')?.textContent ?? '').trimEnd()

/** A block of IR: its stage is the first word of the heading above. */
function stageOf(block: HTMLElement): Stage {
  let above: Element | null = block
  while (above !== null && above.tagName !== 'H2') above = above.previousElementSibling
  const name = /^\s*(\w+)/.exec(above?.textContent ?? '')?.[1] ?? ''
  const figure = document.createElement('figure')
  figure.className = 'reverse-mode-picture'
  figure.dataset['stage'] = name
  figure.hidden = true
  block.before(figure)
  return { name, block, code: block.querySelector('code')!, figure }
}

function fill({ code, figure, name }: Stage, { text, picture, legend }: Shown): void {
  if (code.textContent?.trimEnd() !== text) code.textContent = text
  const scroller = document.createElement('div')
  // Wide pictures scroll, also by the keyboard.
  scroller.tabIndex = 0
  scroller.setAttribute('role', 'group')
  scroller.setAttribute('aria-label', `Picture of the stage ${name}`)
  if (picture === undefined) scroller.textContent = 'There are too many instructions to draw. The text shows them all.'
  else scroller.innerHTML = picture
  const caption = document.createElement('figcaption')
  caption.textContent = `In the picture: ${legend}. Names without % are those of the source.`
  figure.replaceChildren(scroller, caption)
  figure.hidden = false
}

/** An editor in place of a block, with what the compiler says below it. */
function editorFor(
  block: HTMLElement,
  text: string,
): {
  readonly box: HTMLElement
  readonly editor: HTMLTextAreaElement
  readonly status: HTMLElement
  readonly reset: HTMLButtonElement
} {
  const box = document.createElement('div')
  box.className = 'reverse-mode-editor'
  const label = document.createElement('label')
  label.textContent = 'Edit this function'
  const editor = document.createElement('textarea')
  editor.id = 'reverse-mode-source'
  label.htmlFor = editor.id
  editor.value = text
  editor.rows = text.split('\n').length + 1
  editor.spellcheck = false
  editor.autocapitalize = 'off'
  editor.setAttribute('autocomplete', 'off')
  const status = document.createElement('pre')
  status.id = 'reverse-mode-status'
  status.setAttribute('role', 'status')
  editor.setAttribute('aria-describedby', status.id)
  const reset = document.createElement('button')
  reset.type = 'button'
  reset.textContent = 'Reset'
  box.append(label, editor, reset, status)
  // The block stays, hidden: the framework of the pages removes it with the page.
  block.classList.add('reverse-mode-hidden')
  block.after(box)
  return { box, editor, status, reset }
}
