/** What the pane Derivative shows, as a link keeps it in `picks.derivative`: the function, the form and the stage. A link may say anything. */
import type { Stage } from 'cotangent'
import type { Json } from '../project/project.ts'

/** The columns. */
export const modes = ['primal', 'forward', 'reverse'] as const
export type Mode = (typeof modes)[number]

/** What the texts can be, with what people call it. */
export const forms = { wgsl: 'WGSL', js: 'JavaScript', ir: 'IR' } as const
export type Form = keyof typeof forms

/** The stages of the pipeline, in order, with what they show. */
export const stages: Readonly<Record<Stage, string>> = {
  lower: 'lower: the function as it is written',
  ssa: 'ssa: without variables',
  prepared: 'prepared: ready to be differentiated',
  linearized: 'linearized: values and tangents together',
  unzipped: 'unzipped: values and tangents apart',
  transposed: 'transposed: the linear part, backwards',
  checkpointed: 'checkpointed: with what is kept and recomputed',
  extracted: 'extracted: the reverse pass as a function of its own',
  final: 'final: what targets get',
}

export interface DerivativePicks {
  /** A name from the list of functions; undefined follows the cursor. */
  readonly function?: string
  /** Of a generic function: the instance, such as `f<float>`; undefined is the first. */
  readonly instance?: string
  readonly form: Form
  readonly stage: Stage
}

/** What a link says, as far as it makes sense. */
export function derivativePicks(said: Json | undefined): DerivativePicks {
  const fields =
    typeof said === 'object' && said !== null && !Array.isArray(said) ? (said as { [name: string]: Json }) : {}
  const { function: func, instance, form, stage } = fields
  return {
    ...(isName(func) ? { function: func } : {}),
    ...(isName(instance) ? { instance } : {}),
    form: isKey(forms, form) ? form : 'wgsl',
    stage: isKey(stages, stage) ? stage : 'final',
  }
}

/** Whether a value is the name of a field of a table. */
export function isKey<T extends object>(table: T, key: unknown): key is keyof T & string {
  return typeof key === 'string' && Object.hasOwn(table, key)
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 500
}
