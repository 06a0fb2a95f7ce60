import { attach } from 'cotangent/gpu'
import { useEffect, useState } from 'react'
import program, { type Line } from './fit.slang'

/** Points, and the line that is fitted to them. It starts anew when its properties change. */
export function Fit({ points, rate }: { points: Float32Array; rate: number }) {
  const [line, setLine] = useState<Line>({ slope: 0, start: 0 })
  const [problem, setProblem] = useState('')

  useEffect(() => {
    let stopped = false
    let device: GPUDevice | undefined

    async function train(): Promise<void> {
      const adapter = await navigator.gpu?.requestAdapter()
      if (!adapter) throw new Error('This page needs WebGPU, which this browser or this machine does not have.')
      device = await adapter.requestDevice()
      const g = await attach(program, device)
      const fit = g.buffer(new Float32Array([0, 0]))
      const step = g.kernel('train').bind({ buffers: { points, fit }, uniforms: { rate } })
      while (!stopped) {
        step.dispatch([1, 1, 1])
        const [slope, start] = await fit.read()
        if (!stopped) setLine({ slope: slope!, start: start! })
        await new Promise(requestAnimationFrame)
      }
    }

    train()
      .catch((error: unknown) => {
        if (!stopped) setProblem(String(error))
      })
      .finally(() => device?.destroy())

    return () => {
      stopped = true
    }
  }, [points, rate])

  const y = (x: number): number => -(line.slope * x + line.start)
  const title = `y = ${line.slope.toFixed(2)} · x + ${line.start.toFixed(2)}`
  return (
    <figure>
      <svg viewBox="-1 -1 2 2" role="img" aria-label="Points, and the line that is fitted to them">
        {Array.from({ length: points.length / 2 }, (_, i) => (
          <circle key={i} cx={points[2 * i]} cy={-points[2 * i + 1]!} r="0.01" fill="gray" />
        ))}
        <line x1="-1" y1={y(-1)} x2="1" y2={y(1)} stroke="tomato" strokeWidth="0.01" />
      </svg>
      <figcaption>{problem === '' ? title : <span role="alert">{problem}</span>}</figcaption>
    </figure>
  )
}
