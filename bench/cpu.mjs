// Gradients on the CPU: on one core beside C that is written by hand, beside jax-js and TensorFlow.js, and by two threads beside one.
//   npm run bench:cpu [-- c|peers|threads] [--rounds 9] [--only 07]
// `c` needs gcc. `peers` installs both libraries from npm into a temporary folder, 300 MB. The exit status is 1 if a bar is not met or numbers
// differ, and 2 if something is missing.
import process from 'node:process'
import { parseArgs } from 'node:util'
import { besideC, hasC } from './beside-c.mjs'
import { besidePeers } from './beside-peers.mjs'
import { byThreads } from './by-threads.mjs'
import { programs } from './inputs.mjs'
import { installPeers } from './peers-cpu/install.mjs'

const all = ['c', 'peers', 'threads']
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '9' }, only: { type: 'string', default: '' } },
})
const rounds = Number(values.rounds)
const parts = positionals.length === 0 ? all : positionals
const isWanted = name => name.includes(values.only)
function refuse(why) {
  console.error(why)
  process.exit(2)
}
if (!(rounds >= 1) || !parts.every(part => all.includes(part)) || !Object.keys(programs).some(isWanted))
  refuse(
    `usage: npm run bench:cpu -- [${all.join('|')}] [--rounds N] [--only NAME]: 1 round or more, and a name of bench/programs`,
  )
if (parts.includes('c') && !hasC())
  refuse(
    'bench:cpu compares with C: it needs gcc, which this machine has not. `npm run bench:cpu -- peers threads` runs without',
  )
const installed = parts.includes('peers') ? installPeers() : undefined
if (installed?.failed !== undefined)
  refuse(
    `bench:cpu compares with jax-js and TensorFlow.js, which npm could not install: ${installed.failed}\nThat needs npm and a network. \`npm run bench:cpu -- c threads\` runs without`,
  )

if (parts.includes('c')) await besideC(rounds, isWanted)
if (parts.includes('peers')) await besidePeers(installed.require, rounds, isWanted)
if (parts.includes('threads')) await byThreads(2, rounds, isWanted)
process.exit()
