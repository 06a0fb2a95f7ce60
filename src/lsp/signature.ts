/** The signatures of the function that is being called. */
import { SignatureHelpRequest, type ParameterInformation, type ServerCapabilities } from 'vscode-languageserver'
import type { Markup } from '../editor/doc.ts'
import { signatureHelp } from '../editor/signature.ts'
import { markupFor } from './hover.ts'
import { atPosition } from './params.ts'
import type { Session } from './session.ts'

/** Answers who asks. */
export function signatureFeatures(session: Session): ServerCapabilities {
  session.answer(SignatureHelpRequest.type, atPosition, ({ textDocument: { uri }, position }) => {
    const place = session.workspace.at(uri, position)
    const found = place && signatureHelp(place)
    if (found === undefined) return null
    const { documentationFormat, parameterInformation } =
      session.client.textDocument?.signatureHelp?.signatureInformation ?? {}
    const documented = (documentation: Markup | undefined): Pick<ParameterInformation, 'documentation'> =>
      documentation === undefined ? {} : { documentation: markupFor(documentation, documentationFormat) }
    return {
      ...found,
      signatures: found.signatures.map(({ label, parameters, documentation }) => ({
        label,
        ...documented(documentation),
        parameters: parameters.map(({ label: [start, end], documentation }) => ({
          label: parameterInformation?.labelOffsetSupport === true ? [start, end] : label.slice(start, end),
          ...documented(documentation),
        })),
      })),
    }
  })
  return { signatureHelpProvider: { triggerCharacters: ['(', ',', '<'], retriggerCharacters: [')'] } }
}
