/** A thread of Node that does one job. */
import { parentPort, workerData } from 'node:worker_threads'
import type { CheckJob } from './job.ts'
import { examine } from './examine.ts'

parentPort!.postMessage(await examine(workerData as CheckJob))
