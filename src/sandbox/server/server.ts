// Serves the sandbox over HTTP on a loopback port.
import {randomBytes} from 'node:crypto'
import http from 'node:http'
import type {AddressInfo, Socket} from 'node:net'
import {ServiceError} from '../http/service-error.ts'
import {toSandboxResponse} from '../http/exchange.ts'
import {openSandbox, type Sandbox, type SandboxOptions} from '../sandbox.ts'
import {findForeignHeader} from './local-requests.ts'
import {formsPath, publishAddress} from './server-address.ts'
import {fromNodeRequest, type ServerConnections, writeNodeResponse} from './node-http.ts'

export interface ServerOptions extends Pick<
  SandboxOptions,
  'file' | 'seed' | 'frameAncestors' | 'onRequest' | 'onFault' | 'openJournal'
> {
  // 0 picks a free one.
  port: number
  // Called with messages about webhooks.
  notice: (text: string) => void
}

export interface RunningServer {
  url: string
  formsUrl: string
  // Carries a token that only whoever starts the server sees.
  consoleUrl: string
  apiKey: string
  // Open requests are answered first.
  stop(): Promise<void>
}

// Unless other parents are named, pages that are developed on this machine may show the forms in a frame.
const frameAncestorsDefault = ['http', 'https'].flatMap((protocol) =>
  ['localhost', '*.localhost', '127.0.0.1'].map((host) => `${protocol}://${host}:*`),
)

const addressV4 = '127.0.0.1'
const addressV6 = '::1'
const logBatchMs = 100
const consoleTokenBytes = 24
// How long open requests may take after the server was asked to stop.
const stopGraceMs = 5_000

function listen(server: http.Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({port, host, exclusive: true}, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

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
  sandbox: Sandbox,
  connections: ServerConnections,
  onFault: (error: unknown) => void,
): http.RequestListener {
  return (incoming, response) => {
    response.on('error', () => {})
    const foreignHeader = findForeignHeader(incoming.headers)
    const responding = foreignHeader
      ? Promise.resolve(toSandboxResponse(new ServiceError('FORBIDDEN', foreignHeader).toReply()))
      : sandbox.handle(fromNodeRequest(incoming, response))
    responding
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

// Idle connections are closed at once, the others when the grace period is over.
function close(server: http.Server): Promise<void> {
  return new Promise((resolve) => {
    const limit = setTimeout(() => server.closeAllConnections(), stopGraceMs)
    server.close(() => {
      clearTimeout(limit)
      resolve()
    })
    server.closeIdleConnections()
  })
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const {onFault = () => {}, notice} = options
  const connections: ServerConnections = {stopping: false, hanging: new Set()}
  let listener: http.RequestListener = (_, response) => response.destroy()
  const servers = [addressV4, addressV6].map(() =>
    createHttpServer((incoming, response) => listener(incoming, response)),
  )
  const [serverV4, serverV6] = servers as [http.Server, http.Server]
  // The port comes first: links to forms contain it, and without a port no database should be created.
  const port = await listen(serverV4, options.port, addressV4)
  const url = `http://${addressV4}:${port}`
  const formsUrl = url + formsPath
  // Random, because what a database derives from its seed can be known.
  const consoleToken = randomBytes(consoleTokenBytes).toString('base64url')
  try {
    const sandbox = openSandbox({
      frameAncestors: frameAncestorsDefault,
      ...options,
      url,
      formsUrl,
      consoleToken,
      batchMs: logBatchMs,
    })
    listener = createListener(sandbox, connections, onFault)
    // On some machines localhost is only the IPv6 address. On machines without IPv6 this fails, and IPv4 is enough.
    await listen(serverV6, port, addressV6).catch(() => {})
    const delivery = await sandbox.startDelivery(notice)
    const withdrawAddress = publishAddress(options.file, url)
    return {
      url,
      formsUrl,
      consoleUrl: `${url}/?token=${consoleToken}`,
      apiKey: sandbox.apiKey,
      async stop() {
        connections.stopping = true
        try {
          withdrawAddress()
        } finally {
          for (const response of connections.hanging) response.destroy()
          await Promise.all([...servers.map(close), delivery.stop()])
          sandbox.close()
        }
      },
    }
  } catch (error) {
    await Promise.all(servers.map(close))
    throw error
  }
}
