/** Loads programs for the CPU: on a thread for each core, where threads may share memory. */
import type { Program } from 'cotangent'
import { load, type CpuModule, type LoadOptions, type Threads } from 'cotangent/cpu'

export interface Threaded {
  readonly loaded: CpuModule
  readonly threads: Threads
}

/** Loads a program, on a thread for each core unless `options` say how many. */
export async function loadThreaded(program: Program, options: LoadOptions = {}): Promise<Threaded> {
  const loadOne = async (more: LoadOptions): Promise<Threaded> => {
    const loaded = await load(program, { ...options, ...more })
    return { loaded, threads: loaded.threads }
  }
  const threads = options.threads ?? cores()
  if (threads === undefined || threads === 1) return await loadOne({})
  try {
    return await loadOne({ threads })
  } catch (cause) {
    // What is wrong with the program is wrong on one thread, too. Threads that do not start, or memory that they cannot share, leave it to one.
    const { loaded } = await loadOne({})
    return { loaded, threads: { count: 1, reason: cause instanceof Error ? cause.message : String(cause) } }
  }
}

/** How many threads to ask for; undefined leaves it to `load`: where threads share no memory, or the thread is that of a page, which may not wait for others. */
function cores(): number | undefined {
  if (!globalThis.crossOriginIsolated || 'document' in globalThis) return undefined
  // `load` takes no more.
  return Math.min(navigator.hardwareConcurrency, 256)
}
