/** Diagnostics for clients that ask for them. Those that take what is sent are sent them (`publish.ts`), so that nothing is shown twice. */
import {
  DocumentDiagnosticReportKind,
  DocumentDiagnosticRequest,
  type CancellationToken,
  type FullDocumentDiagnosticReport,
  type ServerCapabilities,
} from 'vscode-languageserver'
import { Cancelled } from './errors.ts'
import { inDocument } from './params.ts'
import { inSlices } from './publish.ts'
import type { Session } from './session.ts'
import { told } from './told.ts'

/** Answers who asks. */
export function pullFeatures(session: Session): ServerCapabilities {
  const { workspace } = session
  const report = async (uri: string, token: CancellationToken): Promise<FullDocumentDiagnosticReport> => {
    const before = workspace.document(uri)
    const isOld = (): boolean => token.isCancellationRequested || workspace.document(uri) !== before
    const found = await inSlices(workspace.diagnoseFully(uri), isOld)
    if (found === undefined) throw new Cancelled()
    const locate = workspace.location.bind(workspace)
    const items = found.filter(f => f.uri === uri).flatMap(f => f.diagnostics)
    return { kind: DocumentDiagnosticReportKind.Full, items: items.map(d => told(d, session.shown, locate)) }
  }
  session.answer(DocumentDiagnosticRequest.type, inDocument, ({ textDocument: { uri } }, token) => report(uri, token))
  return {}
}
