// Runs two threads, in a page or in Node, and says whether they met: in `window.meeting`, or on standard output.
import { load } from 'cotangent/cpu'
import live from './meet.slang?runtime'

async function main() {
  const meeting = { met: [], threads: undefined, turns: 0 }
  const turns = setInterval(() => meeting.turns++, 1)
  try {
    const m = await load(live.compile(), { threads: 2 })
    meeting.threads = m.threads
    if (m.threads.count === 2) {
      const [arrived, met] = [new Uint32Array(1), new Uint32Array(2)]
      await m.kernel('meet').dispatchAsync([2, 1, 1], { buffers: { arrived, met } })
      meeting.met = [...met]
    }
    m.close()
  } catch (error) {
    meeting.error = String(error)
  }
  clearInterval(turns)
  if (globalThis.window === undefined) console.log(JSON.stringify(meeting))
  else window.meeting = meeting
}

void main()
