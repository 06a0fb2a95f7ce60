// One whole process: load the real compiler, compile one file to WGSL, write it.
import { readFileSync } from 'node:fs'
import { loadPeer } from './peer.mjs'

const compile = await loadPeer()
process.stdout.write(compile(readFileSync(process.argv[2], 'utf8'), 'main'))
process.exit(0)
