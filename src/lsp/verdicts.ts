/**
 * Whether derivatives are right: the request `cotangent/check`, the lens above each differentiable function that asks for it and then shows the
 * verdict, and the commands behind the lens.
 */
import {
  CodeLensRefreshRequest,
  CodeLensRequest,
  ExecuteCommandRequest,
  MessageType,
  ProtocolRequestType,
  ShowDocumentRequest,
  type CancellationToken,
  type CodeLens,
  type ServerCapabilities,
  type WorkDoneProgressServerReporter,
} from 'vscode-languageserver'
import type { FuncDecl } from '../check/model/decl.ts'
import type { Analysis } from '../editor/analysis.ts'
import { functionAt, fileOf, type EditorProgram } from '../editor/derivative/subject.ts'
import { rangeOf, type Location, type Position, type Range } from '../editor/range.ts'
import { Refused } from './errors.ts'
import type { CheckJob, JobResult, PlainOutcome, Said, Spot } from './job.ts'
import { anything, inDocument, integer, listOf, object, optional, position, text, whole } from './params.ts'
import type { Session } from './session.ts'

/** What `cotangent/check` asks for: with neither place nor names, all differentiable functions of the document. */
export interface CheckParams {
  readonly textDocument: { readonly uri: string }
  /** The function here. */
  readonly position?: Position
  /** Functions by their names: `f`, `Type.method`, `f<float>`. */
  readonly functions?: readonly string[]
  /** Random inputs a function; default: what the setting says. */
  readonly samples?: number
  /** The seed of the random inputs: the same one gives the same inputs. */
  readonly seed?: number
}

/** What came of one function. */
export interface CheckedFunction extends Omit<PlainOutcome, 'diagnostics' | 'disagreement'> {
  /** Where its name stands; undefined where it is no function of the document. */
  readonly range?: Range
  /** The verdict as a sentence, for people. */
  readonly verdict: string
  /** What disagreed, with the arguments as JSON, and the function whose derivative is wrong. */
  readonly disagreement:
    | (Omit<NonNullable<PlainOutcome['disagreement']>, 'blame'> & {
        readonly blame: { readonly name: string; readonly derivative: string; readonly location: Location } | null
      })
    | null
  /** Why its derivative cannot be made, if it cannot. */
  readonly diagnostics: readonly { readonly code: string; readonly message: string; readonly location?: Location }[]
}

/** The answer. */
export interface CheckResult {
  readonly seed: number
  /** Whether none failed and at least one was compared. */
  readonly ok: boolean
  readonly functions: readonly CheckedFunction[]
}

export const CheckRequest: ProtocolRequestType<CheckParams, CheckResult, never, void, void> = new ProtocolRequestType(
  'cotangent/check',
)

/** Commands of the server. */
const commands = {
  /** Checks the function at a place: `[uri, position]`. */
  check: 'cotangent.check',
  /** Shows a place: `[location]`. */
  show: 'cotangent.show',
} as const

/** Milliseconds after which a client is told that work goes on. */
const long = 2000

/** Answers the request, the lens and its commands. */
export function verdictFeatures(session: Session): ServerCapabilities {
  const verdicts = new Verdicts(session)
  session.settingsChanged.push(() => {
    verdicts.refresh()
  })
  session.answer(
    CheckRequest,
    object({
      textDocument: object({ uri: text }),
      position: optional(position),
      functions: optional(listOf(text)),
      samples: optional(whole),
      seed: optional(integer),
    }),
    (params, token) => verdicts.check(params, token),
  )
  session.answer(CodeLensRequest.type, inDocument, ({ textDocument: { uri } }) => verdicts.lenses(uri))
  session.answer(
    ExecuteCommandRequest.type,
    object({ command: text, arguments: optional(listOf(anything)) }),
    async ({ command, arguments: args = [] }, token) => {
      switch (command) {
        case commands.check: {
          text(args[0], 'arguments[0]')
          position(args[1], 'arguments[1]')
          return await verdicts.command(args[0] as string, args[1] as Position, token)
        }
        case commands.show: {
          object({ uri: text })(args[0], 'arguments[0]')
          await verdicts.show(args[0] as Location)
          return null
        }
        default:
          throw new Refused(`there is no command ${command}; there are ${Object.values(commands).join(', ')}`)
      }
    },
  )
  return { codeLensProvider: { resolveProvider: false }, executeCommandProvider: { commands: Object.values(commands) } }
}

/** What is known of derivatives, as long as their program stays as it is. */
class Verdicts {
  readonly #session: Session
  /** By the offset of the function's name; `undefined` while a check runs. */
  readonly #known = new WeakMap<Analysis, Map<number, readonly CheckedFunction[] | undefined>>()

  constructor(session: Session) {
    this.#session = session
  }

  /** Asks the client for its lenses again. */
  refresh(): void {
    const { client, connection, state } = this.#session
    if (state === 'open' && client.workspace?.codeLens?.refreshSupport === true)
      connection.sendRequest(CodeLensRefreshRequest.type).catch(() => {
        // A client that is about to end answers nothing.
      })
  }

  lenses(uri: string): CodeLens[] {
    const { workspace, settings } = this.#session
    const analysis = workspace.analysis(uri)
    if (analysis === undefined || !settings.codeLens.check) return []
    const known = this.#known.get(analysis)
    return this.#functions(uri).map(func => {
      const range = rangeOf(func.span!)
      const at = func.span!.start
      const verdict = known?.get(at)
      const again = { command: commands.check, arguments: [uri, range.start] }
      if (verdict === undefined)
        return {
          range,
          command: { title: known?.has(at) === true ? 'checking the gradient …' : 'check gradient', ...again },
        }
      const failed = verdict.find(f => f.status === 'failed')
      const title = failed === undefined ? `✓ ${verdict.map(f => f.verdict).join('; ')}` : `✗ ${failed.verdict}`
      const place = failed === undefined ? undefined : placeOf(failed)
      return {
        range,
        command: place === undefined ? { title, ...again } : { title, command: commands.show, arguments: [place] },
      }
    })
  }

  /** The functions of a document that have a derivative. */
  #functions(uri: string): readonly FuncDecl[] {
    const { program, path } = this.#session.program(uri)
    return program.checked.program.declarations.filter(
      (d): d is FuncDecl =>
        d.kind === 'func' &&
        d.hasBody &&
        d.owner === null &&
        d.span?.file.name === path &&
        program.checked.program.attributes(d).level !== 'none',
    )
  }

  /** Checks the function at a place and tells the client in all its ways what came of it. */
  async command(uri: string, at: Position, token: CancellationToken): Promise<CheckResult> {
    const { connection } = this.#session
    const result = await this.check({ textDocument: { uri }, position: at }, token)
    const failed = result.functions.find(f => f.status === 'failed')
    const message = result.functions.map(f => `${f.name}: ${f.verdict}`).join('\n')
    void connection.sendNotification('window/showMessage', {
      type: failed === undefined ? MessageType.Info : MessageType.Error,
      message,
    })
    const place = failed === undefined ? undefined : placeOf(failed)
    if (place !== undefined) await this.show(place)
    return result
  }

  /** Shows a place in the editor, where the client can. */
  async show({ uri, range }: Location): Promise<void> {
    const { client, connection } = this.#session
    if (client.window?.showDocument?.support !== true) return
    await connection.sendRequest(ShowDocumentRequest.type, { uri, selection: range, takeFocus: true })
  }

  async check(params: CheckParams, token: CancellationToken): Promise<CheckResult> {
    const { workspace, platform, settings } = this.#session
    const { uri } = params.textDocument
    const analysis = workspace.analysis(uri)
    if (analysis === undefined) throw new Refused(`${uri} is not open`)
    const func = params.position === undefined ? undefined : this.#functionAt(uri, params.position)
    const functions = func === undefined ? params.functions : this.#namesOf(uri, func)
    const { program } = this.#session.program(uri)
    const at = func?.span?.start
    const known = this.#known.get(analysis) ?? new Map<number, readonly CheckedFunction[] | undefined>()
    this.#known.set(analysis, known)
    if (at !== undefined) {
      known.set(at, undefined)
      this.refresh()
    }
    try {
      const job = jobOf(analysis, functions, params.samples ?? settings.check.samples, params.seed)
      const name = func?.name ?? 'all functions'
      const result = await this.#telling(`checking the gradient of ${name}`, () =>
        platform.checker.run(job, settings.check.timeLimit, token),
      )
      const told = this.#told(program, result)
      if (at !== undefined) known.set(at, told.functions)
      return told
    } finally {
      if (at !== undefined) {
        if (known.get(at) === undefined) known.delete(at)
        this.refresh()
      }
    }
  }

  #functionAt(uri: string, at: Position): FuncDecl {
    const { program, path } = this.#session.program(uri)
    const file = fileOf(program, path)
    const func = file && functionAt(program, file, at)
    if (func === undefined) throw new Refused('there is no function here')
    return func
  }

  /** The names by which a function can be called: of a generic one, its instances. */
  #namesOf(uri: string, func: FuncDecl): readonly string[] {
    const { program } = this.#session.program(uri)
    const error = program.diagnostics.find(d => d.severity === 'error')
    if (error !== undefined) throw new Refused(`the program has an error: ${error.message}`)
    if (program.checked.program.attributes(func).level === 'none')
      throw new Refused(`${func.name} is not differentiable`)
    const names = [...program.checked.subjects().values()].filter(s => s.func === func).map(s => s.name)
    if (names.length === 0) throw new Refused(`the program makes no instance of ${func.name}, which is generic`)
    return names
  }

  /** Tells the client of work that takes long. */
  async #telling<T>(title: string, work: () => Promise<T>): Promise<T> {
    const { connection, client } = this.#session
    if (client.window?.workDoneProgress !== true) return await work()
    let progress: WorkDoneProgressServerReporter | undefined
    let isDone = false
    const clock = setTimeout(() => {
      connection.window.createWorkDoneProgress().then(
        created => {
          if (isDone) return
          progress = created
          created.begin(title, undefined, undefined, false)
        },
        () => {
          // A client that refuses shows none.
        },
      )
    }, long)
    try {
      return await work()
    } finally {
      isDone = true
      clearTimeout(clock)
      progress?.done()
    }
  }

  #told(program: EditorProgram, result: JobResult): CheckResult {
    if ('failed' in result) throw new Error(result.failed)
    if ('broken' in result) {
      const [first] = result.broken
      throw new Refused(`the program has an error: ${first?.message ?? 'unknown'}`, {
        diagnostics: result.broken.map(d => this.#said(d)),
      })
    }
    const subjects = program.checked.subjects()
    const functions = result.functions.map((f): CheckedFunction => {
      const span = subjects.get(f.name)?.func.span
      const { disagreement, diagnostics, ...outcome } = f
      return {
        ...outcome,
        ...(span === undefined || span === null || span.file.isCore ? {} : { range: rangeOf(span) }),
        verdict: verdictOf(f),
        disagreement: disagreement && {
          ...disagreement,
          blame: disagreement.blame && {
            name: disagreement.blame.name,
            derivative: disagreement.blame.derivative,
            location: this.#locationOf(disagreement.blame),
          },
        },
        diagnostics: diagnostics.map(d => this.#said(d)),
      }
    })
    return { seed: result.seed, ok: result.ok, functions }
  }

  #said({ code, message, file, line, column }: Said): CheckedFunction['diagnostics'][number] {
    if (file === undefined || line === undefined || column === undefined) return { code, message }
    return { code, message, location: this.#locationOf({ file, line, column }) }
  }

  #locationOf({ file, line, column }: Spot): Location {
    const at = { line: line - 1, character: column - 1 }
    return { uri: this.#session.uriOf(file), range: { start: at, end: at } }
  }
}

/** What the thread needs: a program as it is now, whatever changes meanwhile. */
function jobOf(
  { root, inputs, options }: Analysis,
  functions: readonly string[] | undefined,
  samples: number,
  seed: number | undefined,
): CheckJob {
  const files = Object.fromEntries([...inputs].flatMap(([path, text]) => (text === undefined ? [] : [[path, text]])))
  const { searchPaths, defines, conformances, matrixLayout, maxContext } = options
  return {
    source: inputs.get(root)!,
    fileName: root,
    files,
    options: { searchPaths, defines, conformances, matrixLayout, maxContext } as CheckJob['options'],
    functions,
    samples,
    seed,
  }
}

/** The verdict in words. */
function verdictOf({ status, compared, held, detail, disagreement, diagnostics }: PlainOutcome): string {
  if (disagreement !== null) {
    const { parameter, blame, mode, reverse, forward, differences } = disagreement
    const along = parameter === '' ? '' : ` along ${parameter}`
    const given = mode === 'reverse' ? reverse : forward
    const whose = blame === null || blame.derivative === '' ? '' : `: ${blame.derivative} is wrong`
    return `the ${mode} derivative${along} is ${shown(given)}, differences are ${shown(differences)}${whose}`
  }
  if (status === 'ok') {
    const count = compared + held
    return `the gradient agrees with differences at ${count} random input${count === 1 ? '' : 's'}`
  }
  const why = diagnostics[0]?.message ?? detail
  return status === 'skipped'
    ? `not checked: ${why}`
    : `${detail === '' ? 'its derivative cannot be made' : detail}: ${why}`
}

function shown(x: number | null): string {
  return x === null ? 'missing' : String(Number(x.toPrecision(5)))
}

/** Where to look at what is wrong with a function. */
function placeOf({ disagreement, diagnostics, range: _ }: CheckedFunction): Location | undefined {
  return disagreement?.blame?.location ?? diagnostics.find(d => d.location !== undefined)?.location
}
