// What threads are worth: each program of the bench by one thread and by several.
//   npm run bench:threads [-- --threads 2 --rounds 9 --only 07]
// The exit status is 1 if two threads are less than 1.7 times as fast as one on a program that one thread needs over 10 ms for, or if numbers differ.
import process from 'node:process'
import { parseArgs } from 'node:util'
import { byThreads } from './by-threads.mjs'

const { values } = parseArgs({
  options: {
    threads: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '9' },
    only: { type: 'string', default: '' },
  },
})
const [threads, rounds] = [Number(values.threads), Number(values.rounds)]
if (!(threads >= 2) || !(rounds >= 1)) {
  console.error(
    'usage: npm run bench:threads -- [--threads N] [--rounds N] [--only NAME]: 2 threads or more, 1 round or more',
  )
  process.exit(2)
}
await byThreads(threads, rounds, name => name.includes(values.only))
process.exit()
