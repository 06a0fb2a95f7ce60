/** The page's side of the worker: answers find their questions, and a worker that hangs is ended. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { absent, hanging, Machine, type WorkerLike } from '../playground/machine/machine.ts'
import {
  event,
  Failed,
  hangs,
  patience,
  request,
  type AskMessage,
  type WorkerMessage,
} from '../playground/machine/protocol.ts'

class FakeWorker implements WorkerLike {
  readonly asked: AskMessage[] = []
  isEnded = false
  onmessage: ((event: MessageEvent<WorkerMessage>) => unknown) | null = null
  onerror: ((event: ErrorEvent) => unknown) | null = null

  postMessage(message: AskMessage): void {
    this.asked.push(message)
  }

  terminate(): void {
    this.isEnded = true
  }

  say(message: WorkerMessage): void {
    this.onmessage?.({ data: message } as MessageEvent<WorkerMessage>)
  }
}

const add = request<readonly number[], number>('add')
const note = event<string>('note')
const idle = { kind: 'beat', phase: 'idle', waits: 0 } as const

let workers: FakeWorker[]
let machine: Machine
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'performance', 'setTimeout'] })
  vi.stubGlobal('document', { hidden: false })
  workers = []
  machine = new Machine(() => {
    const worker = new FakeWorker()
    workers.push(worker)
    return worker
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('a machine', () => {
  it('gives each question its own answer, in whatever order they come', async () => {
    const [one, two] = [machine.ask(add, [1, 2]), machine.ask(add, [3, 4])]
    const [a, b] = workers[0]!.asked
    expect([a, b]).toMatchObject([
      { name: 'add', ask: [1, 2] },
      { name: 'add', ask: [3, 4] },
    ])
    workers[0]!.say({ kind: 'answer', id: b!.id, answer: 7 })
    workers[0]!.say({ kind: 'answer', id: a!.id, answer: 3 })
    expect(await Promise.all([one, two])).toEqual([3, 7])
  })

  it('fails what the worker fails, with its diagnostics', async () => {
    const asked = machine.ask(add, [])
    const problem = { severity: 'error', code: 'E30015', message: 'no', file: 'a.slang', line: 1, column: 2 } as const
    workers[0]!.say({
      kind: 'failed',
      id: workers[0]!.asked[0]!.id,
      failure: { message: 'wrong', problems: [problem] },
    })
    await expect(asked).rejects.toMatchObject({ name: 'Failed', message: 'wrong', problems: [problem] })
  })

  it('tells events until nobody listens', () => {
    const heard: string[] = []
    const end = machine.on(note, text => heard.push(text))
    workers[0]!.say({ kind: 'event', name: 'note', value: 'a' })
    end()
    workers[0]!.say({ kind: 'event', name: 'note', value: 'b' })
    expect(heard).toEqual(['a'])
  })

  it('ends a worker that falls silent, fails what it was asked, and starts another', async () => {
    const heard: string[] = []
    machine.onRestart(why => heard.push(why))
    workers[0]!.say(idle)
    const asked = machine.ask(add, [])
    const failed = expect(asked).rejects.toThrow(hanging)
    vi.advanceTimersByTime(patience.idle + 500)
    await failed
    expect(workers.map(w => w.isEnded)).toEqual([true, false])
    expect(heard).toEqual([hanging])
    expect(machine.generation).toBe(1)
    // What the old one still says is not heard.
    workers[0]!.say({ kind: 'answer', id: 1, answer: 1 })
  })

  it('leaves a worker alone that gives signs of life, or that still loads', () => {
    vi.advanceTimersByTime(20_000)
    for (let i = 0; i < 40; i++) {
      workers[0]!.say(idle)
      vi.advanceTimersByTime(250)
    }
    expect(workers).toHaveLength(1)
  })

  it('gives a compile more time', () => {
    workers[0]!.say({ kind: 'beat', phase: 'compiling', waits: 0 })
    vi.advanceTimersByTime(10_000)
    expect(workers).toHaveLength(1)
    vi.advanceTimersByTime(patience.compiling)
    expect(workers).toHaveLength(2)
  })

  it('ends a worker whose device does not finish', () => {
    workers[0]!.say({ kind: 'beat', phase: 'idle', waits: patience.running + 1 })
    vi.advanceTimersByTime(250)
    expect(workers).toHaveLength(2)
  })

  it('starts another one after an error of the worker itself', async () => {
    workers[0]!.say(idle)
    const asked = machine.ask(add, [])
    workers[0]!.onerror?.({ message: 'out of memory' } as ErrorEvent)
    await expect(asked).rejects.toBeInstanceOf(Failed)
    expect(workers).toHaveLength(2)
  })

  it('does not start workers over and over that do not load, but another one when it is asked later', async () => {
    const heard: string[] = []
    machine.onRestart(why => {
      heard.push(why)
      // Whoever hears of it may ask at once.
      machine.ask(add, []).catch(() => {})
    })
    const asked = machine.ask(add, [])
    workers[0]!.onerror?.({} as ErrorEvent)
    await expect(asked).rejects.toThrow(absent)
    await expect(machine.ask(add, [])).rejects.toThrow(absent)
    expect(heard).toEqual([absent])
    vi.advanceTimersByTime(120_000)
    expect(workers).toHaveLength(1)
    const again = machine.ask(add, [3, 4])
    expect(workers).toHaveLength(2)
    workers[1]!.say({ kind: 'answer', id: workers[1]!.asked[0]!.id, answer: 7 })
    expect(await again).toBe(7)
  })
})

it('a hang shows in silence, and in work of the device that does not end', () => {
  expect(hangs({ phase: 'running', waits: 0 }, 2900)).toBe(false)
  expect(hangs({ phase: 'running', waits: 0 }, 3100)).toBe(true)
  expect(hangs({ phase: 'idle', waits: 2000 }, 1100)).toBe(true)
})
