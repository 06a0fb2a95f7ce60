/** Requests of our own: the derivative of a function as a text, and what its reverse pass keeps. */
import { ProtocolRequestType, type Diagnostic as Told, type ServerCapabilities } from 'vscode-languageserver'
import type { Diagnostic } from '../base/diag.ts'
import { derivativeAt, type DerivativeForm, type DerivativeMode } from '../editor/derivative/document.ts'
import { explainFile, type ExplainedFunction } from '../editor/derivative/explain.ts'
import type { Reason } from '../editor/derivative/reasons.ts'
import type { Link } from '../editor/derivative/links.ts'
import type { Location, Position, Range } from '../editor/range.ts'
import { Refused } from './errors.ts'
import { object, oneOf, optional, position, range, text, whole } from './params.ts'
import type { Session } from './session.ts'
import { told } from './told.ts'

interface InDocument {
  readonly textDocument: { readonly uri: string }
}

/** What `cotangent/derivative` asks for. */
export interface DerivativeParams extends InDocument {
  readonly position: Position
  /** `primal` is the function itself, beside which its derivatives can be read. */
  readonly mode: DerivativeMode
  readonly as: DerivativeForm
  /** For `ir`: the stage, by the names that `--dump-ir` takes; default the last. */
  readonly stage?: string
  /** Of a generic function: which instance, as `name<arguments>`. */
  readonly instance?: string
}

/** The answer: a text, whose lines are linked to those of the source. */
export interface DerivativeResult {
  /** The name of the function, of a generic one with its arguments. */
  readonly name: string
  readonly text: string
  readonly links: readonly (Link & {
    /** Where `from` is, if in another document than the one that was asked about. */
    readonly uri?: string
  })[]
  /** The other instances that the program makes of the function. */
  readonly instances: readonly string[]
}

/** What `cotangent/explain` asks for: with neither place nor range, all functions of the document. */
export interface ExplainParams extends InDocument {
  readonly position?: Position
  readonly range?: Range
  /** How many bytes a reverse pass may keep; default: what the project says. */
  readonly maxContext?: number
}

/** The answer: what reverse passes keep, compute again and store. */
export interface ExplainResult {
  readonly functions: readonly ExplainedFunction[]
  /** Why a reverse pass could not be made, where one could not. */
  readonly diagnostics: readonly Told[]
  /** Why there is nothing. */
  readonly refused?: string
}

/** Why there is no derivative: the data of the error that answers `cotangent/derivative`. */
export interface RefusalData {
  readonly diagnostics: readonly Told[]
  readonly reasons: readonly ToldReason[]
}

interface ToldReason {
  readonly text: string
  readonly location?: Location
  readonly because: readonly ToldReason[]
}

export const DerivativeRequest: ProtocolRequestType<DerivativeParams, DerivativeResult, never, RefusalData, void> =
  new ProtocolRequestType('cotangent/derivative')
export const ExplainRequest: ProtocolRequestType<ExplainParams, ExplainResult, never, void, void> =
  new ProtocolRequestType('cotangent/explain')

const textDocument = object({ uri: text })

/** Answers both. */
export function derivativeFeatures(session: Session): ServerCapabilities {
  const tell = (list: readonly Diagnostic[]): Told[] =>
    list.map(d => told(d, session.shown, span => session.workspace.location(span)))

  const toldReasons = (reasons: readonly Reason[]): ToldReason[] =>
    reasons.map(({ text, place, because }) => ({
      text,
      ...(place === undefined ? {} : { location: { uri: session.uriOf(place.file), range: place.range } }),
      because: toldReasons(because),
    }))

  session.answer(
    DerivativeRequest,
    object({
      textDocument,
      position,
      mode: oneOf('primal', 'forward', 'reverse'),
      as: oneOf('ir', 'wgsl', 'js'),
      stage: optional(text),
      instance: optional(text),
    }),
    ({ textDocument: { uri }, ...query }) => {
      const { program, path } = session.program(uri)
      const made = derivativeAt(program, path, query)
      if ('refused' in made)
        throw new Refused(made.refused, {
          diagnostics: tell(made.diagnostics),
          reasons: toldReasons(made.reasons),
        } satisfies RefusalData)
      const { name, text, instances } = made
      const links = made.links.map(({ from, to, file }) =>
        file === undefined ? { from, to } : { from, to, uri: session.uriOf(file) },
      )
      return { name, text, links, instances }
    },
  )

  session.answer(
    ExplainRequest,
    object({ textDocument, position: optional(position), range: optional(range), maxContext: optional(whole) }),
    ({ textDocument: { uri }, ...query }) => {
      const { program, path } = session.program(uri)
      const { functions, diagnostics, refused } = explainFile(program, path, query)
      return { functions, diagnostics: tell(diagnostics), ...(refused === undefined ? {} : { refused }) }
    },
  )
  return {}
}
