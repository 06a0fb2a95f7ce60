// Starts the process that owns a WebGPU device, and asks it to time kernels.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { gpuEnv } from '../tools/gpu-env.mjs'

/** `time(request)` times kernels for `budget` milliseconds, unless the request says for how long. */
export async function startGpu(budget) {
  const worker = fileURLToPath(new URL('gpu-worker.mjs', import.meta.url))
  const child = fork(worker, { env: gpuEnv(), serialization: 'advanced', execArgv: [] })
  const answer = () =>
    new Promise((resolve, reject) => {
      const ended = () => reject(new Error('the WebGPU process ended'))
      child.once('exit', ended)
      child.once('message', m => {
        child.off('exit', ended)
        if (m.fatal === undefined && m.error === undefined) resolve(m)
        else reject(new Error(m.fatal ?? m.error))
      })
    })
  const { ready } = await answer()
  return {
    name: ready,
    stop: () => child.kill(),
    time: async request => {
      child.send({ budget, ...request })
      return answer()
    },
  }
}

/** A software driver's own threads say what they worked, whatever else the machine did; else the time that passed. */
export const timeOf = answer => (answer.work.every(t => t > 0) ? answer.work : answer.wall)
