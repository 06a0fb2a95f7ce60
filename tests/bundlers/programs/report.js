// Imports a shader in every way, and prints what came.
import { load } from 'cotangent/cpu'
import program, { code, entryPoints, reflection, train } from './fit.slang'
import cpu from './fit.slang?cpu'
import live from './fit.slang?runtime'
import { packaged } from 'shady'
import direct from 'shady/scale.slang'

async function main() {
  const wave = { amplitude: 1, frequency: 1.25, phase: 0.5 }
  const module = await load(cpu)
  const other = await load(packaged.cpu)
  const compiled = live.compile()
  const changed = live.compile(live.source.replace('miss * miss', 'miss * miss * 3'))
  console.log(
    JSON.stringify({
      code,
      reflection,
      entryPoints,
      same: program.code === code && program.reflection === reflection && train === entryPoints[0],
      value: module.fn.loss(wave, [0.5, 2]),
      gradient: module.fn.loss.valueAndGrad(wave, [0.5, 2]),
      twice: other.fn.twice(21),
      packaged: [packaged.entry.name, packaged.program.code === direct.code],
      fileName: live.fileName,
      files: Object.keys(live.files),
      compiles: compiled.wgsl().code === code,
      changes: [changed.ok, changed.wgsl().code === code],
    }),
  )
}

main()
