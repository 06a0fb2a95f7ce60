/** Runs Vite's development server, of the version that the job asks for, until the process ends. */
import { createServer as createNetServer } from 'node:net'
import { job, plugin, root, say } from './driver.mjs'

const { createServer } = await import(job.vite)

/** A port that nobody uses. */
const port = await new Promise(resolve => {
  const probe = createNetServer().listen(0, '127.0.0.1', () => {
    const { port } = probe.address()
    probe.close(() => resolve(port))
  })
})
const server = await createServer({
  root,
  configFile: false,
  logLevel: 'error',
  plugins: [await plugin('vite')],
  server: { host: '127.0.0.1', port, strictPort: true },
})
await server.listen()
say({ url: `http://127.0.0.1:${port}/` })
