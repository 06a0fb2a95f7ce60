/**
 * The pane Derivative: a function and its derivatives side by side, as WGSL, JavaScript or IR. Whoever points at a line in one of them, or in the source,
 * sees the lines of all others that belong to it.
 */
import './derivative.css'
import type { Cursor } from '../editor/editor.ts'
import { lineUnder, litLines, scrollTo } from './code-view.ts'
import { Column, type Asked, type Learned } from './derivative-column.ts'
import { derivativePicks, forms, isKey, modes, stages, type DerivativePicks } from './derivative-picks.ts'
import { element } from './element.ts'
import { functionAround, functionsOf, messageOf, whenChanged, type ListedFunction } from './functions.ts'
import type { SourceLine } from './links.ts'
import type { Pane } from './pane.ts'

/** A line that somebody points at: of a column, or of the source. */
type Point = { readonly in: Column; readonly line: number } | { readonly in: 'source'; readonly at: SourceLine }

/** How long the cursor rests in another function before that is shown, in milliseconds. */
const rest = 150

export const pane: Pane = (into, site) => {
  const { editor, project } = site
  const picksNow = (): DerivativePicks => derivativePicks(project.value.picks['derivative'])
  const pick = (change: Partial<Record<keyof DerivativePicks, string | undefined>>): void =>
    project.change(p => {
      const all = Object.entries({ ...picksNow(), ...change }).filter((e): e is [string, string] => e[1] !== undefined)
      return { ...p, picks: { ...p.picks, derivative: Object.fromEntries(all) } }
    })

  // ── Controls ─────────────────────────────────────────────────────────────────────────────────────────────────

  const functionBox = select('derivative-function')
  const instanceBox = select('derivative-instance')
  const formBox = select('derivative-form', forms)
  const stageBox = select('derivative-stage', stages)
  const labels = {
    function: element('label', {}, 'Function ', functionBox),
    instance: element('label', {}, 'Instance ', instanceBox),
    form: element('label', {}, 'As ', formBox),
    stage: element('label', {}, 'After the stage ', stageBox),
  }
  labels.instance.hidden = true
  functionBox.addEventListener('change', () =>
    pick({ function: functionBox.value === '' ? undefined : functionBox.value, instance: undefined }),
  )
  instanceBox.addEventListener('change', () => pick({ instance: instanceBox.value }))
  formBox.addEventListener('change', () => pick({ form: formBox.value }))
  stageBox.addEventListener('change', () => pick({ stage: stageBox.value }))

  // ── Lines that belong together ───────────────────────────────────────────────────────────────────────────────

  let hovered: Point | undefined
  let placed: Point | undefined
  /** The lines of the source that are lit. */
  let sourceLines: readonly SourceLine[] = []
  const told = element('p', { class: 'told', role: 'status' })

  const light = (): void => {
    const point = hovered ?? placed
    const source = point === undefined ? [] : point.in === 'source' ? [point.at] : point.in.links.behind(point.line)
    for (const column of columns) {
      const isOwn = point?.in === column
      const lines = column.links.madeOf(source)
      column.light(isOwn ? [...new Set([...lines, point.line])].toSorted((a, b) => a - b) : lines, !isOwn)
    }
    // A line of the source that nothing was made of has no partners.
    const isLinked = columns.some(c => c.links.madeOf(source).length > 0)
    sourceLines = isLinked ? source : []
    drawSource()
    const own = sourceLines.find(s => s.file === project.value.open)
    if (own !== undefined && point?.in !== 'source') scrollTo(editor.view, own.line)
  }
  const drawSource = (): void =>
    editor.draw('derivative', (file, doc) =>
      litLines(
        doc,
        sourceLines
          .filter(s => s.file === file)
          .map(s => s.line)
          .toSorted((a, b) => a - b),
      ),
    )
  const hover = (point: Point | undefined): void => {
    if (isSame(point, hovered)) return
    hovered = point
    light()
  }
  const place = (column: Column, line: number): void => {
    placed = { in: column, line }
    light()
    const others = columns.map(c => `${c.links.madeOf(column.links.behind(line)).length} of ${c.mode}`)
    const lines = column.links.behind(line).map(s => `${s.file}:${s.line + 1}`)
    told.textContent =
      lines.length === 0
        ? 'No line of the source belongs to this one.'
        : `From ${lines.join(', ')}. Lines: ${others.join(', ')}.`
  }

  const columns: readonly Column[] = modes.map((mode): Column => {
    const column: Column = new Column(mode, site, {
      hovered: line => hover(line === undefined ? undefined : { in: column, line }),
      placed: line => place(column, line),
      followed: line => {
        const [first] = column.links.behind(line)
        if (first !== undefined) editor.reveal(first.file, first.line, 0)
      },
    })
    return column
  })
  const onMove = (event: MouseEvent): void => {
    const line = lineUnder(editor.view, event)
    hover(line === undefined ? undefined : { in: 'source', at: { file: project.value.open, line } })
  }
  const onLeave = (): void => hover(undefined)
  const content = editor.view.scrollDOM
  content.addEventListener('mousemove', onMove)
  content.addEventListener('mouseleave', onLeave)

  // ── Asking ───────────────────────────────────────────────────────────────────────────────────────────────────

  let functions: readonly ListedFunction[] = []
  /** What is shown, or asked for. */
  let subject: ListedFunction | undefined
  let asking = new AbortController()
  /** Ends what is asked for, for its answer would be that of something else. */
  const anew = (): AbortSignal => {
    asking.abort()
    asking = new AbortController()
    for (const column of columns) column.outdate()
    sourceLines = []
    drawSource()
    return asking.signal
  }

  const drawControls = (): void => {
    const { form, stage, function: chosen } = picksNow()
    fill(
      functionBox,
      { '': 'at the cursor', ...Object.fromEntries(functions.map(f => [f.name, f.name])) },
      chosen ?? '',
    )
    formBox.value = form
    stageBox.value = stage
    labels.stage.hidden = form !== 'ir'
  }

  /** The function to show: the chosen one, or that at the cursor; elsewhere the last one stays, and the first is one that has derivatives. */
  const subjectNow = (): ListedFunction | undefined => {
    const { function: chosen } = picksNow()
    const named = functions.find(f => f.name === chosen)
    if (named !== undefined) return named
    return (
      functionAround(functions, editor.cursor.value) ??
      functions.find(f => f.name === subject?.name) ??
      functions.find(f => f.marked) ??
      functions[0]
    )
  }

  const list = async (): Promise<void> => {
    const signal = anew()
    try {
      functions = await functionsOf(site, signal)
      if (signal.aborted) return
      drawControls()
      await show(signal)
    } catch (cause) {
      if (signal.aborted) return
      const again = element('button', { type: 'button' }, 'Try again')
      again.addEventListener('click', () => void list())
      for (const column of columns) column.say()
      columns[0]!.say(element('p', {}, messageOf(cause)), again)
    }
  }

  const show = async (signal: AbortSignal): Promise<void> => {
    subject = subjectNow()
    if (subject === undefined) {
      labels.instance.hidden = true
      for (const column of columns) column.say()
      columns[0]!.say('This file has no function with a body.')
      return
    }
    const { position } = subject
    const asked = { uri: editor.uri, position, picks: picksNow(), signal }
    const learned = await Promise.all(
      columns.map(async column => {
        const found = await column.ask(asked, () => void list())
        // The cursor may stand on a line of what has just come.
        if (!signal.aborted) light()
        return found
      }),
    )
    if (signal.aborted) return
    const found = learned.find(l => l !== undefined)
    // Where there is no text, such as that of a `double` in WGSL, other instances may have one.
    const { name, instances } = found ?? (await instancesOf(asked)) ?? { name: '', instances: [] }
    if (signal.aborted) return
    labels.instance.hidden = instances.length < 2
    fill(instanceBox, Object.fromEntries(instances.toSorted().map(i => [i, i])), name)
    // The program makes no such instance any more.
    if (asked.picks.instance !== undefined && asked.picks.instance !== name) pick({ instance: undefined })
  }

  /** The instances of a function of which there is no text as it was asked for. */
  const instancesOf = async ({ uri, position, picks: { instance }, signal }: Asked): Promise<Learned | undefined> => {
    const params = { textDocument: { uri }, position, mode: 'primal', as: 'ir', stage: 'lower' }
    const chosen = instance === undefined ? params : { ...params, instance }
    const answer = await editor
      .request<object, Learned>('cotangent/derivative', chosen, { signal })
      .catch(() => undefined)
    return answer && { name: answer.name, instances: [answer.name, ...answer.instances] }
  }

  let timer: ReturnType<typeof setTimeout> | undefined
  const follow = (cursor: Cursor): void => {
    clearTimeout(timer)
    placed = { in: 'source', at: cursor }
    light()
    if (picksNow().function !== undefined) return
    timer = setTimeout(() => {
      const now = subjectNow()
      if (now === undefined || now === subject || isOutdated) return
      // An instance is that of another function.
      if (picksNow().instance === undefined) void show(anew())
      else pick({ instance: undefined })
    }, rest)
  }

  /** Whether the list of functions is that of an older text. */
  let isOutdated = false
  const ends = [
    editor.cursor.subscribe(follow),
    project.subscribe((now, before) => {
      if (now.files !== before.files || now.open !== before.open) {
        isOutdated = true
        anew()
      } else if (now.picks['derivative'] !== before.picks['derivative']) {
        drawControls()
        if (editor.ready.value) void show(anew())
      }
    }),
    whenChanged(site, () => {
      isOutdated = false
      void list()
    }),
  ]
  drawControls()
  into.append(
    element('div', { class: 'derivative-controls' }, ...Object.values(labels)),
    element('div', { class: 'columns' }, ...columns.map(c => c.dom)),
    told,
  )
  return () => {
    asking.abort()
    clearTimeout(timer)
    for (const end of ends) end()
    content.removeEventListener('mousemove', onMove)
    content.removeEventListener('mouseleave', onLeave)
    editor.draw('derivative', undefined)
    for (const column of columns) column.destroy()
  }
}

function isSame(a: Point | undefined, b: Point | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  if (a.in === 'source' || b.in === 'source')
    return a.in === 'source' && b.in === 'source' && a.at.file === b.at.file && a.at.line === b.at.line
  return a.in === b.in && a.line === b.line
}

function select(id: string, options: Readonly<Record<string, string>> = {}): HTMLSelectElement {
  const box = element('select', { 'data-testid': id })
  fill(box, options, box.value)
  return box
}

/** Makes the options of a list these, unless they are. */
function fill(box: HTMLSelectElement, options: Readonly<Record<string, string>>, value: string): void {
  const key = JSON.stringify(options)
  if (box.dataset['options'] !== key) {
    box.dataset['options'] = key
    box.replaceChildren(...Object.entries(options).map(([name, text]) => element('option', { value: name }, text)))
  }
  box.value = isKey(options, value) ? value : (Object.keys(options)[0] ?? '')
}
