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
  ShowMessageNotification,
  type CancellationToken,
  type CodeLens,
  type ServerCapabilities,
  type WorkDoneProgressServerReporter,
} from 'vscode-languageserver'
import type { Analysis } from '../editor/analysis.ts'
import { checkLenses, checkedAt, type CheckVerdict } from '../editor/derivative/check.ts'
import type { Location, Position } from '../editor/range.ts'
import { Refused } from './errors.ts'
import type { CheckJob } from './job.ts'
import { anything, inDocument, integer, listOf, object, optional, position, range, text, whole } from './params.ts'
import type { Session } from './session.ts'

/** What `cotangent/check` asks for: with neither place nor names, all functions of the document that can be checked. */
export interface CheckParams {
  readonly textDocument: { readonly uri: string }
  /** The function here; of a generic one, all instances. */
  readonly position?: Position
  /** Functions by their names: `f`, `Type.method`, `f<float>`. */
  readonly functions?: readonly string[]
  /** Random inputs a function; default: what the setting says. */
  readonly samples?: number
  /** The seed of the random inputs; default: always the same. */
  readonly seed?: number
}

/** What came of one function. */
export interface ToldVerdict extends Omit<CheckVerdict, 'blame'> {
  /** The place whose derivative is wrong. */
  readonly blame?: {
    /** A sentence. */
    readonly message: string
    readonly location: Location
  }
}

/** The answer to `cotangent/check`. */
export interface CheckResult {
  readonly verdicts: readonly ToldVerdict[]
}

export const CheckRequest: ProtocolRequestType<CheckParams, CheckResult, never, void, void> = new ProtocolRequestType(
  'cotangent/check',
)

/** Commands of the server. */
const commands = {
  /** Checks functions by their names: `[uri, names]`; or the function at a place: `[uri, position]`. */
  check: 'cotangent.check',
  /** Shows a place: `[location]`. */
  show: 'cotangent.show',
} as const

/** Milliseconds after which a client is told that work goes on. */
const long = 2000

const names = listOf(text)

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
      functions: optional(names),
      samples: optional(whole),
      seed: optional(integer),
    }),
    (params, token) => verdicts.check(params, token),
  )
  session.answer(CodeLensRequest.type, inDocument, ({ textDocument: { uri } }, token) => verdicts.lenses(uri, token))
  session.answer(
    ExecuteCommandRequest.type,
    object({ command: text, arguments: optional(listOf(anything)) }),
    async ({ command, arguments: args = [] }, token) => {
      switch (command) {
        case commands.check: {
          const [uri, which] = args as readonly unknown[]
          text(uri, 'arguments[0]')
          const isNames = Array.isArray(which)
          ;(isNames ? names : position)(which, 'arguments[1]')
          const asked = isNames ? { functions: which as string[] } : { position: which as Position }
          return await verdicts.command({ textDocument: { uri: uri as string }, ...asked }, token)
        }
        case commands.show: {
          object({ uri: text, range })(args[0], 'arguments[0]')
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
  readonly #known = new WeakMap<Analysis, Map<string, CheckVerdict | 'running'>>()

  constructor(session: Session) {
    this.#session = session
  }

  /** Asks the client for its lenses again. */
  refresh(): void {
    const { client } = this.#session
    this.#session.refresh(CodeLensRefreshRequest.type, client.workspace?.codeLens?.refreshSupport)
  }

  async lenses(uri: string, token: CancellationToken): Promise<CodeLens[]> {
    const { workspace, settings } = this.#session
    const analysis = workspace.analysis(uri)
    if (analysis === undefined || !settings.codeLens.check) return []
    const { program, path } = await this.#session.wholeProgram(uri, token)
    return checkLenses(program, path, this.#known.get(analysis)).map(
      ({ range, function: name, state, title, blame }) => ({
        range,
        command:
          state === 'differs' && blame !== undefined
            ? { title: `✗ ${title}`, command: commands.show, arguments: [this.#located(blame)] }
            : { title: state === 'agrees' ? `✓ ${title}` : title, command: commands.check, arguments: [uri, [name]] },
      }),
    )
  }

  #located({ file, range }: NonNullable<CheckVerdict['blame']>): Location {
    return { uri: this.#session.uriOf(file), range }
  }

  /** Checks functions, and tells the client in all its ways what came of it. */
  async command(params: CheckParams, token: CancellationToken): Promise<CheckResult> {
    const { connection } = this.#session
    const result = await this.check(params, token)
    const wrong = result.verdicts.find(v => v.state === 'differs')
    const said = result.verdicts.map(v => `${v.function}: ${v.title}${v.reason === '' ? '' : ` (${v.reason})`}`)
    await connection.sendNotification(ShowMessageNotification.type, {
      type: wrong === undefined ? MessageType.Info : MessageType.Error,
      message: said.join('\n'),
    })
    if (wrong?.blame !== undefined) await this.show(wrong.blame.location)
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
    const functions = this.#functionsOf(params)
    const known = this.#known.get(analysis) ?? new Map<string, CheckVerdict | 'running'>()
    this.#known.set(analysis, known)
    for (const name of functions) known.set(name, 'running')
    this.refresh()
    const { timeLimit } = settings.check
    const job: CheckJob = {
      ...programOf(analysis),
      functions,
      samples: params.samples ?? settings.check.samples,
      seed: params.seed,
      // Half of the time is left for what is tried then: an input, and one of each function behind.
      timeLimit: timeLimit * 500,
    }
    try {
      const result = await this.#telling(`checking ${functions.join(', ')}`, () =>
        platform.checker.run(job, timeLimit, token),
      )
      if ('failed' in result) throw new Error(result.failed)
      for (const verdict of result.verdicts) known.set(verdict.function, verdict)
      return {
        verdicts: result.verdicts.map(({ blame, ...verdict }) =>
          blame === undefined
            ? verdict
            : { ...verdict, blame: { message: blame.message, location: this.#located(blame) } },
        ),
      }
    } finally {
      for (const name of functions) if (known.get(name) === 'running') known.delete(name)
      this.refresh()
    }
  }

  /** The names of the functions that a request asks for. */
  #functionsOf({ textDocument: { uri }, functions, position: at }: CheckParams): readonly string[] {
    if (functions !== undefined && at === undefined) return functions
    const { program, path } = this.#session.program(uri)
    if (at === undefined) return checkLenses(program, path).map(lens => lens.function)
    const found = checkedAt(program, path, at)
    if ('reason' in found) throw new Refused(found.reason)
    return found.names
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
}

/** A program as it is now, whatever changes meanwhile. */
function programOf({ root, inputs, options }: Analysis): Pick<CheckJob, 'source' | 'options'> {
  const files = Object.fromEntries([...inputs].flatMap(([path, text]) => (text === undefined ? [] : [[path, text]])))
  const { searchPaths, defines, conformances, matrixLayout, entries, maxContext, emulateHalf } = options
  return {
    source: inputs.get(root)!,
    options: {
      fileName: root,
      files,
      searchPaths,
      defines,
      conformances,
      matrixLayout,
      entries,
      maxContext,
      emulateHalf,
    },
  }
}
