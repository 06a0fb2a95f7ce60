/** The plan of training as a form: what is trained, with which optimiser, and where everything begins. */
import type { Opened } from '../machine/train-protocol.ts'
import type { Optimizer, Plan, Value } from '../train/index.ts'
import { element } from './element.ts'

/** A form for the plan of a session. `edit` gets the whole plan after each change; a plan that is undefined asks for the one to begin with. */
export function planForm(
  opened: Opened,
  edit: (plan: Plan | undefined) => void,
): { readonly root: HTMLElement; readonly tuned: (plan: Plan) => void } {
  let { plan } = opened
  const change = (part: Partial<Plan>): void => {
    plan = { ...plan, ...part }
    edit(plan)
  }
  const root = element('form', { class: 'plan', 'aria-label': 'How to train' })
  root.addEventListener('submit', event => event.preventDefault())
  root.append(subjectOf(), picksOf(), optimizerOf(), othersOf())
  return { root, tuned: now => (plan = now) }

  function subjectOf(): HTMLElement {
    const select = element('select', { 'data-testid': 'subject' })
    for (const s of opened.subjects) select.append(element('option', { value: s.name }, `${s.name} (${s.kind})`))
    select.value = plan.subject
    select.addEventListener('change', () => {
      const subject = opened.subjects.find(s => s.name === select.value)
      if (subject === undefined) return
      // What the other one begins with is not of this one: the worker fills in what is missing.
      const { optimizer, speed } = plan
      plan = { subject: subject.name, parameters: subject.picks, optimizer, ...(speed !== undefined && { speed }) }
      edit(plan)
    })
    return element('label', { class: 'field' }, element('span', {}, 'Lower the loss of'), select)
  }

  function picksOf(): HTMLElement {
    const names = opened.subjects.find(s => s.name === plan.subject)?.picks ?? []
    const boxes = names.map(name => {
      const box = element('input', { type: 'checkbox', 'data-testid': `pick-${name}` })
      box.checked = plan.parameters.includes(name)
      box.addEventListener('change', () => {
        // In the order of the program.
        const parameters = names.filter(n => (n === name ? box.checked : plan.parameters.includes(n)))
        change({ parameters })
      })
      return element('label', { class: 'check' }, box, name)
    })
    return element('fieldset', {}, element('legend', {}, 'Change'), ...boxes)
  }

  function optimizerOf(): HTMLElement {
    const { optimizer } = plan
    const kind = element('select', { 'data-testid': 'optimizer' })
    kind.append(element('option', { value: 'sgd' }, 'SGD'), element('option', { value: 'adam' }, 'Adam'))
    kind.value = optimizer.kind
    const rate = numberInput('learning-rate', optimizer.rate, { min: '0', step: 'any' })
    const momentum = numberInput('momentum', optimizer.kind === 'sgd' ? (optimizer.momentum ?? 0) : 0, {
      min: '0',
      max: '0.999',
      step: 'any',
    })
    const speed = numberInput('speed', plan.speed ?? '', { min: '1', max: '1000000', step: '1', placeholder: 'none' })
    const momentumField = element('label', { class: 'field' }, element('span', {}, 'Momentum'), momentum)
    momentumField.hidden = optimizer.kind !== 'sgd'
    const tell = (): void => {
      momentumField.hidden = kind.value !== 'sgd'
      const [r, m] = [Number(rate.value), Number(momentum.value)]
      if (![rate, momentum, speed].every(i => i.reportValidity()) || rate.value === '') return
      const made: Optimizer =
        kind.value === 'adam' ? { kind: 'adam', rate: r } : { kind: 'sgd', rate: r, ...(m !== 0 && { momentum: m }) }
      const { speed: _, ...others } = plan
      plan = { ...others, optimizer: made, ...(speed.value !== '' && { speed: Number(speed.value) }) }
      edit(plan)
    }
    for (const input of [kind, rate, momentum, speed]) input.addEventListener('change', tell)
    return element(
      'div',
      { class: 'fields' },
      element('label', { class: 'field' }, element('span', {}, 'Optimiser'), kind),
      element('label', { class: 'field' }, element('span', {}, 'Learning rate'), rate),
      momentumField,
      element('label', { class: 'field' }, element('span', {}, 'Most steps a second'), speed),
    )
  }

  function othersOf(): HTMLElement {
    const values = Object.entries(plan.values ?? {}).map(([name, value]) =>
      jsonField(name, value, v => change({ values: { ...plan.values, [name]: v } })),
    )
    const uniforms = Object.entries(plan.uniforms ?? {}).map(([name, value]) =>
      jsonField(name, value, v => change({ uniforms: { ...plan.uniforms, [name]: v } })),
    )
    const buffers = Object.entries(plan.buffers ?? {}).map(([name, fill]) =>
      jsonField(name, fill as unknown as Value, v =>
        change({ buffers: { ...plan.buffers, [name]: v as NonNullable<Plan['buffers']>[string] } }),
      ),
    )
    const groups = (title: string, fields: HTMLElement[]): HTMLElement[] =>
      fields.length === 0 ? [] : [element('fieldset', {}, element('legend', {}, title), ...fields)]
    const fresh = element('button', { type: 'button', 'data-testid': 'fresh-plan' }, 'Begin with default values')
    fresh.addEventListener('click', () => edit(undefined))
    return element(
      'details',
      { class: 'values' },
      element('summary', { 'data-testid': 'values-open' }, 'Starting values'),
      ...groups('Arguments', values),
      ...groups('Uniforms', uniforms),
      ...groups('Buffers', buffers),
      fresh,
    )
  }
}

function numberInput(id: string, value: number | string, more: Readonly<Record<string, string>>): HTMLInputElement {
  return element('input', { type: 'number', 'data-testid': id, value: `${value}`, ...more })
}

/** A value as JSON in a line of text. */
function jsonField(name: string, value: Value, change: (value: Value) => void): HTMLElement {
  const input = element('input', {
    type: 'text',
    'data-testid': `value-${name}`,
    value: JSON.stringify(value),
    spellcheck: 'false',
  })
  const wrong = element('span', { class: 'wrong', role: 'alert' })
  input.addEventListener('change', () => {
    try {
      const made = JSON.parse(input.value) as Value
      wrong.textContent = ''
      change(made)
    } catch {
      wrong.textContent = `${name} must be a number, or a list such as [1, 2].`
    }
  })
  return element('label', { class: 'field' }, element('span', {}, name), input, wrong)
}
