// Serves the console of a profile on a loopback port. It only reads: every method but GET is refused.
import http from 'node:http'
import type {AddressInfo} from 'node:net'
import type {ConsoleContext, ConsolePage} from '../web/console/context.ts'
import {isConsolePage, renderPage, renderShell} from '../web/console/routes.ts'
import type {ConsoleSource} from '../web/console/source.ts'
import {consoleStylesheet} from '../web/stylesheet.ts'
import {badUsage} from '../errors.ts'
import {type Entrance, createEntrance} from '../web/entrance.ts'
import {compressPage, createPageHeaders} from '../web/serve.ts'
import {minuteMs} from '../values/time.ts'
import {html} from '../web/html.ts'

const address = '127.0.0.1'
const stylesheetPath = '/assets/console.css'

// Nobody looks for the link in a terminal that was left for longer.
const consoleLinkLifeMs = 10 * minuteMs

export interface ConsoleServer {
  // A link that lets one browser in, once.
  createLink: () => string
  // Resolves when a browser was let in.
  entered: Promise<void>
  stop(): Promise<void>
}

export interface ConsoleServerOptions {
  source: ConsoleSource
  // 0 picks a free one.
  port: number
  // Called with errors of svc itself, of which the page shows only that there was one.
  onFault: (error: unknown) => void
}

interface Reply {
  status: number
  headers: Record<string, string>
  text: string
}

const plainText = {'content-type': 'text/plain; charset=utf-8', ...createPageHeaders()}

const refuse = (status: number, text: string, headers: Record<string, string> = {}): Reply => ({
  status,
  headers: {...plainText, ...headers},
  text: `${text}\n`,
})

function createContext(source: ConsoleSource, folder: string, url: URL, now: number): ConsoleContext {
  return {
    source,
    path: url.pathname.slice(folder.length),
    query: Object.fromEntries(url.searchParams),
    now,
    link(path, parameters = {}) {
      const present = Object.entries(parameters).filter((pair): pair is [string, string] => Boolean(pair[1]))
      const search = new URLSearchParams(present).toString()
      return folder + path + (search && `?${search}`)
    },
  }
}

const brokenPage: ConsolePage = {
  title: 'Something went wrong in svc',
  status: 500,
  body: html`<h1>Something went wrong in svc</h1>
    <p>The terminal in which it runs says what. Nothing was changed.</p>`,
}

async function showPage({source, onFault}: ConsoleServerOptions, folder: string, url: URL): Promise<Reply> {
  const context = createContext(source, folder, url, await source.readNow())
  const page = await renderPage(context).catch((error: unknown) => {
    onFault(error)
    return brokenPage
  })
  if (page.location !== undefined) {
    return {status: 303, headers: {...createPageHeaders(), location: page.location}, text: ''}
  }
  return {
    status: page.status ?? 200,
    headers: {...createPageHeaders(), 'content-type': 'text/html; charset=utf-8'},
    text: renderShell(context, page, {stylesheet: stylesheetPath}),
  }
}

// A web page whose name resolves to this machine would send its own name as the host.
const isOwnHost = (host: string | undefined, port: number) =>
  host === `${address}:${port}` || host === `localhost:${port}`

async function respond(
  options: ConsoleServerOptions,
  {method, headers, url: target = '/'}: http.IncomingMessage,
  {port, entrance}: {port: number; entrance: Entrance},
): Promise<Reply> {
  if (!isOwnHost(headers.host, port)) return refuse(403, 'The console answers on this machine only.')
  if (method !== 'GET' && method !== 'HEAD') {
    return refuse(405, 'The console of a profile only reads.', {allow: 'GET, HEAD'})
  }
  const url = URL.parse(target, `http://${address}`)
  if (!url) return refuse(400, 'This is not an address of the console.')
  if (url.pathname === stylesheetPath) {
    return {
      status: 200,
      headers: {...createPageHeaders(), 'content-type': 'text/css; charset=utf-8'},
      text: consoleStylesheet,
    }
  }
  const entered = entrance.enter(method, url.pathname)
  if (entered) return entered
  const {folder} = entrance
  if (!url.pathname.startsWith(`${folder}/`) || !entrance.isLetIn(headers.cookie)) {
    return refuse(
      403,
      'The console is opened by a link that works once: run svc console, and use the link that it prints. There, enter this address into the search field.',
    )
  }
  if (!isConsolePage(url.pathname.slice(folder.length))) return refuse(404, 'The console has no such page.')
  return showPage(options, folder, url)
}

function listen(server: http.Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const {code} = cause
      if (code !== 'EADDRINUSE' && code !== 'EACCES') return reject(cause)
      const why = code === 'EACCES' ? 'needs more rights than you have' : 'is in use'
      return reject(badUsage(`The port ${port} ${why}`, 'Choose another with --port; 0 picks a free one', cause))
    })
    server.listen({port, host: address, exclusive: true}, () => resolve((server.address() as AddressInfo).port))
  })
}

export async function startConsoleServer(options: ConsoleServerOptions): Promise<ConsoleServer> {
  const entrance = createEntrance({
    linkLifeMs: consoleLinkLifeMs,
    stylesheet: stylesheetPath,
    advice: 'It was used before, or is too old. Run svc console again.',
  })
  const server = http.createServer()
  const port = await listen(server, options.port)
  const answer = async (incoming: http.IncomingMessage, response: http.ServerResponse) => {
    try {
      const {status, ...reply} = await respond(options, incoming, {port, entrance})
      const plain = {headers: reply.headers, bytes: Buffer.from(reply.text)}
      const {headers, bytes} = compressPage(reply, incoming.headers['accept-encoding']) ?? plain
      response.writeHead(status, {...headers, 'content-length': bytes.length})
      response.end(incoming.method === 'HEAD' ? undefined : bytes)
    } catch (error) {
      options.onFault(error)
      response.destroy()
    }
  }
  server.on('request', (incoming: http.IncomingMessage, response: http.ServerResponse) => {
    response.on('error', () => {})
    // A body is never read.
    incoming.resume()
    void answer(incoming, response)
  })
  return {
    createLink: () => `http://${address}:${port}${entrance.createLink()}`,
    entered: entrance.entered,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
