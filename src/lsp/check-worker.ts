/** A worker of a browser that does one job. It says first that it is there. */
import type { CheckJob, JobResult } from './job.ts'
import { examine } from './examine.ts'

/** What the worker says. */
export type Reply = { readonly ready: true } | { readonly result: JobResult }

const scope = globalThis as unknown as {
  onmessage: (event: { readonly data: CheckJob }) => void
  postMessage(reply: Reply): void
}
scope.onmessage = ({ data }) => {
  void examine(data).then(result => {
    scope.postMessage({ result })
  })
}
scope.postMessage({ ready: true })
