// Serves a folder of static files on 127.0.0.1. `node serve.mjs` serves site/dist, isolated, prints the address and runs until Ctrl-C.
import { createReadStream, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, normalize, sep } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
}

/** Headers with which a page is cross-origin isolated: then its threads may share memory. */
export const isolating = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' }

/** Serves a folder, each file with `headers`; port 0 takes any free one. Gives the address and what ends it. */
export async function serve(folder, port = 0, headers = {}) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1')
    const file = fileFor(folder, pathname)
    if (file === undefined) {
      response.writeHead(404, { 'content-type': types['.html'] }).end(notFound(folder))
      return
    }
    if (typeof file !== 'string') {
      response.writeHead(301, { location: file.moved }).end()
      return
    }
    response.writeHead(200, { ...headers, 'content-type': types[extname(file)] ?? 'application/octet-stream' })
    if (request.method === 'HEAD') response.end()
    else createReadStream(file).pipe(response)
  })
  await new Promise((done, failed) => server.once('error', failed).listen(port, '127.0.0.1', done))
  const close = () =>
    new Promise(done => {
      server.close(done)
      server.closeAllConnections()
    })
  return { address: `http://127.0.0.1:${server.address().port}`, close }
}

/** What is shown where nothing is: the folder's `404.html`, if it has one. */
function notFound(folder) {
  const page = join(folder, '404.html')
  return statSync(page, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(page) : 'Not found\n'
}

/** The file of an address; where its folder stands without the last slash, where it moved to; undefined where there is none. */
function fileFor(folder, pathname) {
  let path
  try {
    path = normalize(join(folder, decodeURIComponent(pathname)))
  } catch {
    return undefined
  }
  if (path !== normalize(folder) && !path.startsWith(normalize(folder + sep))) return undefined
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isFile() === true) return path
  if (found?.isDirectory() === true) {
    if (!pathname.endsWith('/')) return { moved: `${pathname}/` }
    const index = join(path, 'index.html')
    return statSync(index, { throwIfNoEntry: false })?.isFile() === true ? index : undefined
  }
  // Addresses of pages may leave out `.html`.
  return statSync(`${path}.html`, { throwIfNoEntry: false })?.isFile() === true ? `${path}.html` : undefined
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = fileURLToPath(new URL('dist', import.meta.url))
  const { address, close } = await serve(folder, Number(process.env.PORT ?? 4173), isolating).catch(() =>
    serve(folder, 0, isolating),
  )
  console.log(`The pages are at ${address}/, and the playground at ${address}/playground/. Ctrl-C ends the server.`)
  process.once('SIGINT', () => void close().then(() => process.exit(0)))
}
