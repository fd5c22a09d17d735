// Serves the sandbox over HTTP on a loopback port.
import http from 'node:http'
import type {Socket} from 'node:net'
import {ServiceError} from './service-error.ts'
import {controlDocumentPath, controlPrefix} from '../operations/constants.ts'
import type {HandleRequest} from './app.ts'
import {openSandbox, type SandboxOptions} from '../sandbox.ts'
import {createRouter} from './router.ts'
import {formsPath, publishAddress} from './server-address.ts'
import {fromNodeRequest, type ServerConnections, writeNodeResponse} from './node-http.ts'
import {hourMs} from '../../values/time.ts'
import {createEntrance} from '../../web/entrance.ts'
import {closeServer, createToken, listen, loopback} from '../../web/serve.ts'
import {getAssetPath} from './assets.ts'

export interface ServerOptions extends Pick<
  SandboxOptions,
  'file' | 'seed' | 'frameAncestors' | 'onFault' | 'onRequest' | 'openJournal'
> {
  // 0 picks a free one.
  port: number
  // Called with messages about webhooks.
  notice: (text: string) => void
}

export interface RunningServer {
  url: string
  formsUrl: string
  // A link that lets one browser into the console, once.
  consoleUrl: string
  createConsoleLink: () => string
  // Resolves when a browser was let in.
  consoleEntered: Promise<void>
  apiKey: string
  // The endpoints of control, the token that they need, and the document that describes them.
  controlUrl: string
  controlToken: string
  controlOpenapiUrl: string
  // Open requests are answered first.
  stop(): Promise<void>
}

// Unless other parents are named, pages that are developed on this machine may show the forms in a frame.
const frameAncestorsDefault = ['http', 'https'].flatMap((protocol) =>
  ['localhost', '*.localhost', '127.0.0.1'].map((host) => `${protocol}://${host}:*`),
)

const addressV6 = '::1'
const logBatchMs = 100
// A sandbox is started before the console is needed.
const consoleLinkLifeMs = hourMs

// A request that is not valid HTTP gets an error body like any other, if the connection is still open.
function onClientError(error: NodeJS.ErrnoException, socket: Socket) {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const body = JSON.stringify(new ServiceError('BAD_REQUEST', 'The request is not valid HTTP').toReply().value)
  const head = ['HTTP/1.1 400 Bad Request', 'content-type: application/json', 'connection: close']
  socket.end(`${head.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

function createListener(
  handle: HandleRequest,
  connections: ServerConnections,
  onFault: (error: unknown) => void,
): http.RequestListener {
  return (incoming, response) => {
    response.on('error', () => {})
    handle(fromNodeRequest(incoming, response))
      .then((sandboxResponse) => writeNodeResponse(incoming, response, sandboxResponse, connections))
      .catch((error: unknown) => {
        onFault(error)
        response.destroy()
      })
  }
}

function createHttpServer(listener: http.RequestListener): http.Server {
  return http.createServer(listener).on('checkContinue', listener).on('clientError', onClientError)
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const {onFault = () => {}, notice} = options
  const connections: ServerConnections = {stopping: false, hanging: new Set()}
  let listener: http.RequestListener = (_, response) => response.destroy()
  const servers = [loopback, addressV6].map(() =>
    createHttpServer((incoming, response) => listener(incoming, response)),
  )
  const [serverV4, serverV6] = servers as [http.Server, http.Server]
  // The port comes first: links to forms contain it, and without a port no database should be created.
  const port = await listen(serverV4, options.port, loopback)
  const url = `http://${loopback}:${port}`
  const formsUrl = url + formsPath
  // Random, because what a database derives from its seed can be known.
  const controlToken = createToken()
  const consoleEntrance = createEntrance({
    linkLifeMs: consoleLinkLifeMs,
    stylesheet: getAssetPath('page.css'),
    advice: 'It was used before, or is too old. svc console -p sandbox opens the console again.',
  })
  const createConsoleLink = () => url + consoleEntrance.createLink()
  const settings = {frameAncestors: frameAncestorsDefault, ...options, consoleEntrance}
  try {
    const sandbox = openSandbox({
      ...settings,
      url,
      formsUrl,
      batchMs: logBatchMs,
    })
    listener = createListener(createRouter({sandbox, url, token: controlToken, onFault}), connections, onFault)
    // On some machines localhost is only the IPv6 address. On machines without IPv6 this fails, and IPv4 is enough.
    await listen(serverV6, port, addressV6).catch(() => {})
    const delivery = await sandbox.startDelivery(notice)
    const withdrawAddress = publishAddress(options.file, {url, controlToken})
    return {
      url,
      formsUrl,
      consoleUrl: createConsoleLink(),
      createConsoleLink,
      consoleEntered: consoleEntrance.entered,
      apiKey: sandbox.apiKey,
      controlUrl: url + controlPrefix,
      controlToken,
      controlOpenapiUrl: url + controlDocumentPath,
      async stop() {
        connections.stopping = true
        try {
          withdrawAddress()
        } finally {
          for (const response of connections.hanging) response.destroy()
          await Promise.all([...servers.map((each) => closeServer(each)), delivery.stop()])
          sandbox.close()
        }
      },
    }
  } catch (error) {
    await Promise.all(servers.map((each) => closeServer(each)))
    throw error
  }
}
