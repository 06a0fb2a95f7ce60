import { load } from 'cotangent/cpu'
import { attach, type WebGpuDevice } from 'cotangent/gpu'
import program, { code, entryPoints, reflection, train, type Wave } from './fit.slang'
import cpu from './fit.slang?cpu'
import live from './fit.slang?runtime'

/** Fails where two types differ; `any` differs from all others. */
type Same<X, Y> = (<T>() => T extends X ? 1 : 2) extends <T>() => T extends Y ? 1 : 2 ? true : false
const same = <X, Y>(_: Same<X, Y>): void => {}
/** Fails for `any`. */
const known = <T>(_: 0 extends 1 & T ? false : true): void => {}

const buffers = { wave: new Float32Array(2), points: new Float32Array(8) }
const origin = [1, 0, 0] as const

// On a CPU, by what a build made.
const m = await load<typeof program>(cpu)
known<typeof cpu>(true)
const { value, grad } = m.fn.loss.valueAndGrad({ height: 1, length: 2 }, [1, 2])
same<typeof value, number>(true)
same<typeof grad, [wave: Wave, p: null]>(true)
m.kernel('train').dispatch([1, 1, 1], { buffers, uniforms: { rate: 1, origin } })

// On a device.
declare const device: WebGpuDevice
const g = await attach(program, device)
const bound = g.kernel('train').bind({ buffers, uniforms: { rate: 1, origin } })
bound.uniforms.rate = 2
same<typeof bound.uniforms.rate, number>(true)

// With the compiler.
const edited = await load<typeof program>(live.compile(`${live.source}\n// ${live.fileName}`))
same<typeof live.source, string>(true)
same<(typeof live.files)['fit.slang'], string>(true)
known<ReturnType<typeof live.compile>>(true)
edited.fn.loss({ height: 1, length: 2 }, [1, 2]).toFixed()

known<typeof program>(true)
same<typeof train.name, 'train'>(true)
same<typeof train.workgroupSize, readonly [64, 1, 1]>(true)
same<(typeof entryPoints)[0]['stage'], 'compute'>(true)
export const texts: readonly string[] = [code, program.code, reflection.bindings[0]?.name ?? '']
