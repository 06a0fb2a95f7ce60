/** `--timeout`: a command in a process of its own, which is ended when its time is over, whatever it is doing. */
import { spawn } from 'node:child_process'
import { complain } from './output.ts'
import { failures } from './usage.ts'

/** Says to the process that does the work that somebody watches it. */
const mark = 'COTANGENT_WATCHED'

/** The exit status of a command whose time is over: that of `timeout` of coreutils. */
const timedOut = 124

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Runs this command line once more, for so many seconds at most, and ends as it ends; returns at once in the process that does the work. */
export async function within(seconds: number, command: string): Promise<void> {
  if (process.env[mark] === String(process.ppid)) return
  const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: 'inherit',
    env: { ...process.env, [mark]: String(process.pid) },
  })
  for (const signal of signals) {
    process.on(signal, () => {
      child.kill('SIGKILL')
      process.removeAllListeners(signal)
      process.kill(process.pid, signal)
    })
  }
  const clock = setTimeout(() => {
    child.kill('SIGKILL')
    complain(
      `${command} was ended after ${seconds} second${seconds === 1 ? '' : 's'}, as --timeout asks`,
      failures.time,
    )
    process.exit(timedOut)
  }, seconds * 1000)
  const status = await new Promise<number>((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      if (code === null) complain(`${command} was ended by ${signal ?? 'a signal'}`, failures.program)
      resolve(code ?? 1)
    })
  })
  clearTimeout(clock)
  process.exit(status)
}
