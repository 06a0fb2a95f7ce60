/** The playground: puts the parts together, and keeps the address, the tabs and the status true. */
// Before all else.
import { machine } from './machine/early.ts'
import '@fontsource/inter/latin-400.css'
import '@fontsource/inter/latin-600.css'
import '@fontsource/jetbrains-mono/latin-400.css'
import './style.css'
import './shell/shell.css'
import './training.css'
import type { Threads } from 'cotangent/cpu'
import { textOfMessage } from './editor/actions.ts'
import { Editor } from './editor/editor.ts'
import { fileTabs } from './files.ts'
import { element } from './panes/element.ts'
import { first } from './project/first.ts'
import type { Project } from './project/project.ts'
import { starters, type Starter } from './project/starters.ts'
import { Store } from './project/store.ts'
import { Running, type State } from './running.ts'
import { transport } from './strip.ts'
import { paneTabs } from './tabs.ts'
import { Address, isEmbedded, linked } from './shell/address.ts'
import { sharing } from './shell/share.ts'
import { splitter } from './shell/splitter.ts'
import { starterRow } from './shell/starters.ts'
import { themeSwitch } from './shell/theme.ts'
import { Training } from './training.ts'

/** How long the text rests before the program runs again, in milliseconds. */
const rest = 600

const at = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T
const status = at('status')
const say = (message: string): void => void (status.textContent = message)

document.body.classList.toggle('embedded', isEmbedded)
themeSwitch(at('theme'), say)
splitter(at('splitter'))
const project = new Store<Project>(await begun())
const address = new Address(project, first, warn)
const running = new Running(machine, project)
const training = new Training(machine, project, running)
void running.run()
const editor = new Editor(at('editor'), project)
fileTabs(at('files'), project, say)
const openPane = paneTabs(at('tabs'), at('pane'), { project, editor, machine, running, training, say })
transport(at('strip'), training, () => {
  openPane('train')
  showResults()
})
starterRow(at('starters'), starters, starter => void choose(starter))
sharing(at('share'), at('sharing'), { project, address, say })
followLinks()
drawDiagnostics()
followBackend()

let timer: ReturnType<typeof setTimeout> | undefined
project.subscribe((now, before) => {
  if (now.files === before.files && now.size === before.size) return
  clearTimeout(timer)
  timer = setTimeout(() => void running.run(), rest)
})
running.state.subscribe(state => say(statusOf(state)))
at('run').addEventListener('click', () => {
  showResults()
  void running.run()
})
addEventListener('keydown', event => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
  event.preventDefault()
  void running.run()
})

// The server loads once the first result is there, so that neither waits for the other.
const resulted = running.state.subscribe(state => {
  if (state.is === 'running' || state.is === 'starting') return
  resulted()
  void connect()
})

async function connect(): Promise<void> {
  const worker = new Worker(new URL('./editor/server.worker.ts', import.meta.url), { type: 'module' })
  worker.addEventListener('error', event =>
    // A file that does not load has no message.
    say(`The language server failed: ${event.message || 'it did not load'}`),
  )
  try {
    await editor.connect(worker)
    document.body.dataset['server'] = 'ready'
  } catch (cause) {
    say(`The language server did not start: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}

/** The project of the address, or the first one. */
async function begun(): Promise<Project> {
  try {
    return (await linked()) ?? first
  } catch (cause) {
    warn(cause instanceof Error ? cause.message : String(cause))
    return first
  }
}

let chosen: Starter | undefined

async function choose(starter: Starter): Promise<void> {
  chosen = starter
  training.leave()
  try {
    const loaded = await starter.load()
    // The last one that was chosen is opened, whichever loads last.
    if (chosen !== starter) return
    const next: Project = { ...loaded, backend: project.value.backend }
    await address.begin(next)
    if (chosen !== starter) return
    training.load(next)
    openPane(starter.pane ?? 'train')
    showResults()
  } catch (cause) {
    if (chosen !== starter) return
    // The program that is still there can be trained as before.
    training.reset()
    say(cause instanceof Error ? cause.message : String(cause))
  }
}

/** On a phone the results stand below the source: they come into view when the visitor asks for some. The button Code leads back. */
function showResults(): void {
  const { top } = at('panes').getBoundingClientRect()
  if (top < at('source').getBoundingClientRect().bottom - 1) return
  // Only this page scrolls, not one that it is a part of.
  scrollBy({ top: top - document.querySelector('.go')!.getBoundingClientRect().height })
}

/** Shows what is wrong with a link until the visitor has read it. */
function warn(message: string): void {
  const close = element('button', { type: 'button' }, 'Close')
  const notice = at('notice')
  close.addEventListener('click', () => (notice.hidden = true))
  notice.replaceChildren(element('p', {}, message), close)
  notice.hidden = false
}

/** Links inside the page move the focus; the hash of the address belongs to the project. */
function followLinks(): void {
  const leads = (from: string, to: string): void =>
    at(from).addEventListener('click', event => {
      event.preventDefault()
      at(to).focus({ preventScroll: true })
      at(to).scrollIntoView()
    })
  leads('skip', 'panes')
  leads('to-results', 'panes')
  leads('to-source', 'source')
  const whole = at<HTMLAnchorElement>('whole')
  const point = (): void =>
    void address
      .link()
      .then(url => (whole.href = url.href))
      .catch(() => {})
  for (const moment of ['pointerenter', 'focus', 'touchstart']) whole.addEventListener(moment, point)
  if (isEmbedded) point()
}

function drawDiagnostics(): void {
  const list = at('diagnostics')
  const draw = (): void => {
    const fromServer = editor.diagnostics.value.filter(d => d.severity === undefined || d.severity <= 2)
    const { value } = running.state
    // The server says what the compiler says, and more; what only the machine knows is listed after that.
    const ofMachine = value.is === 'failed' ? value.problems.filter(p => !fromServer.some(d => d.code === p.code)) : []
    const items = [
      ...fromServer.map(d => ({
        severity: d.severity === 2 ? 'warning' : 'error',
        code: String(d.code ?? ''),
        message: textOfMessage(d),
        file: d.file,
        line: d.range.start.line,
        character: d.range.start.character,
      })),
      ...ofMachine.map(p => ({ ...p, line: p.line - 1, character: p.column - 1 })),
    ]
    list.replaceChildren(
      ...items.map(({ severity, code, message, file, line, character }) => {
        const button = element(
          'button',
          { type: 'button', class: severity },
          element('code', {}, code),
          // What would help stands in the editor, too.
          ` ${message.split('\n', 1)[0]} `,
          element('span', { class: 'place' }, `${file}:${line + 1}:${character + 1}`),
        )
        button.addEventListener('click', () => editor.reveal(file, line, character))
        return element('li', {}, button)
      }),
    )
    list.hidden = items.length === 0
  }
  editor.diagnostics.subscribe(draw)
  running.state.subscribe(draw)
  draw()
}

function followBackend(): void {
  const toggle = at<HTMLButtonElement>('backend-switch')
  const draw = (): void => {
    const { value } = running.backend
    at('backend').textContent = value === undefined ? '…' : value === 'webgpu' ? 'WebGPU' : 'CPU'
    at('backend').title = running.why.value
    toggle.setAttribute('aria-pressed', `${value === 'cpu'}`)
  }
  running.backend.subscribe(draw)
  running.why.subscribe(draw)
  project.subscribe(draw)
  toggle.addEventListener('click', () => running.choose(running.backend.value === 'cpu' ? 'auto' : 'cpu'))
  draw()
}

function statusOf(state: State): string {
  switch (state.is) {
    case 'starting':
    case 'running':
      return 'Running …'
    case 'failed':
      return state.message
    case 'done': {
      const { compiled, ran, animated, picture, entries, threads } = state.answer
      if (entries === 0)
        return `Compiled in ${compiled.toFixed(0)} ms. The program has functions only, and no entry point to run.`
      const times = `compiled in ${compiled.toFixed(0)} ms, first frame in ${ran.toFixed(0)} ms`
      const where = state.backend === 'webgpu' ? 'WebGPU' : `the CPU${threadsOf(threads)}`
      const why = state.backend === 'cpu' && project.value.backend === 'auto' ? ` (${running.why.value})` : ''
      return `${animated ? 'Runs' : 'Ran'} on ${where}${why}: ${times}${picture ? '' : ', no picture'}.`
    }
  }
}

/** How many threads there are, where there could be several. */
function threadsOf(threads: Threads | undefined): string {
  if (threads === undefined) return ''
  const { count, reason } = threads
  if (count > 1) return `, ${count} threads`
  return reason === undefined ? '' : `, one thread since ${reason}`
}
