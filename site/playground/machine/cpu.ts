/** Runs a planned program on the CPU. */
import type { Program } from 'cotangent'
import { valueAt, type BufferPlan, type Call, type Moment, type Plan } from './plan.ts'
import { printedWords, textOfWords } from './printing.ts'
import { Failed } from './protocol.ts'
import { contents, put, type Picture, type Runner } from './runner.ts'
import { during } from './server.ts'
import { blackTexels, formatOf, pictureOf } from './texels.ts'
import { loadThreaded } from './threads.ts'
import type { Plain } from './values.ts'

/** Makes ready to run, on `most` threads or as many as pay. Throws a `Failed` for what only a device can do. */
export async function cpuRunner(
  program: Program,
  plan: Plan,
  context: OffscreenCanvasRenderingContext2D | undefined,
  strings: ReadonlyMap<number, string>,
  most?: number,
): Promise<Runner> {
  if (plan.raster !== undefined)
    throw new Failed({
      message: `${plan.raster.fragment.name} is a fragment shader, and those run on WebGPU only. A compute kernel that writes a texture also runs on the CPU.`,
    })
  const deep = plan.textures.find(t => t.dimension !== '2d')
  if (deep !== undefined)
    throw new Failed({ message: `${deep.name} has three dimensions, and such textures run on WebGPU only.` })
  let texts = ''
  const { loaded, threads } = await loadThreaded(program, {
    print: text => (texts += text),
    threads: paysThreads(plan) ? most : 1,
  })
  const buffers = new Map(plan.buffers.map(b => [b.name, contents(b)]))
  const textures = new Map(
    plan.textures.map(t => {
      const format = formatOf(t.format)
      if (format === undefined) throw new Failed({ message: `${t.name}: textures of ${t.format} run on WebGPU only.` })
      return [
        t.name,
        { size: [t.size[0], t.size[1]] as const, format: t.format, data: blackTexels(format, t.size[0] * t.size[1]) },
      ]
    }),
  )
  const samplers = plan.reflection.bindings.filter(b => b.kind === 'sampler').map(b => b.name)
  const repeat = { addressModeU: 'repeat', addressModeV: 'repeat' } as const

  const given = ({ kernel }: Call, moment: Moment): object => {
    const uses = (name: string): boolean => kernel.bindings.includes(name)
    const used = <T>(all: ReadonlyMap<string, T>): Record<string, T> =>
      Object.fromEntries([...all].filter(([name]) => uses(name)))
    const uniforms: Record<string, Plain> = {}
    for (const u of plan.uniforms)
      if (uses(u.binding) && (u.entry === null || u.entry === kernel.name)) uniforms[u.name] = valueAt(u, moment)
    return {
      buffers: used(buffers),
      uniforms,
      textures: used(textures),
      samplers: Object.fromEntries(samplers.filter(uses).map(name => [name, plan.repeating.has(name) ? repeat : {}])),
    }
  }

  const groupsOf = ({ groups }: Call): readonly [number, number, number] => {
    if (!('buffer' in groups)) return groups
    const bytes = buffers.get(groups.buffer)!
    const view = new DataView(bytes.buffer)
    const at = (i: number): number =>
      groups.offset + 4 * i + 4 <= bytes.byteLength ? view.getUint32(groups.offset + 4 * i, true) : 0
    return [at(0), at(1), at(2)]
  }

  const picture = (): Picture | undefined => {
    const { shown } = plan
    if (shown === undefined) return undefined
    const { data } = textures.get(shown.name)!
    const rgba = pictureOf(formatOf(shown.format)!, new Uint8Array(data.buffer))
    return rgba && { size: [shown.size[0], shown.size[1]], data: rgba }
  }

  return {
    threads,
    frame(moment, isFirst) {
      buffers.get(printedWords)?.fill(0, 0, 4)
      for (const call of plan.calls) {
        if (call.once && !isFirst) continue
        during('running', () => loaded.kernel(call.kernel.name).dispatch(groupsOf(call), given(call, moment)))
      }
      const drawn = picture()
      if (drawn !== undefined && context !== undefined) put(context, drawn)
      return Promise.resolve()
    },
    printed() {
      const words = buffers.get(printedWords)
      const text = texts + (words === undefined ? '' : textOfWords(new Uint32Array(words.buffer), strings))
      texts = ''
      return Promise.resolve(text)
    },
    bytes: ({ name }: BufferPlan, most) => Promise.resolve(buffers.get(name)!.slice(0, most)),
    picture: () => Promise.resolve(picture()),
    end: () => loaded.close(),
  }
}

/** Whether threads have something to share. One workgroup is nothing, and printed lines come in the order of workgroups. */
function paysThreads({ calls }: Plan): boolean {
  return (
    calls.some(({ groups }) => 'buffer' in groups || groups.some(n => n > 1)) &&
    !calls.some(({ kernel }) => kernel.bindings.includes(printedWords))
  )
}
