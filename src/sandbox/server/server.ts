// The sandbox on a loopback port: the very same service, for whoever speaks HTTP.
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
  'file' | 'seed' | 'frameAncestors' | 'onRequest' | 'onFault'
> {
  // 0 picks a free one.
  port: number
  // Hears of what goes on besides requests.
  notice: (text: string) => void
}

export interface RunningServer {
  url: string
  formsUrl: string
  apiKey: string
  // Requests under way are answered first.
  stop(): Promise<void>
}

const address = '127.0.0.1'
const addressAlso = '::1'
const logBatchMs = 100
// How long requests under way may take when the server is told to stop.
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

// What does not even read as HTTP gets the shape of every other refusal, while there is somebody to read it.
function onClientError(error: NodeJS.ErrnoException, socket: Socket) {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const body = JSON.stringify(
    new ServiceError('BAD_REQUEST', 'The request is not HTTP as it should be').toReply().value,
  )
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
    const answered = foreignHeader
      ? Promise.resolve(toSandboxResponse(new ServiceError('FORBIDDEN', foreignHeader).toReply()))
      : sandbox.handle(fromNodeRequest(incoming, response))
    answered
      .then((whole) => writeNodeResponse(incoming, response, whole, connections))
      .catch((error: unknown) => {
        onFault(error)
        response.destroy()
      })
  }
}

function createHttpServer(listener: http.RequestListener): http.Server {
  return http.createServer(listener).on('checkContinue', listener).on('clientError', onClientError)
}

// Connections without a request are closed at once; those with one have until the grace is over.
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
  const servers = [address, addressAlso].map(() =>
    createHttpServer((incoming, response) => listener(incoming, response)),
  )
  const [server, serverAlso] = servers as [http.Server, http.Server]
  // The port comes first: links to forms carry it, and no database is made for a server that cannot be.
  const port = await listen(server, options.port, address)
  const url = `http://${address}:${port}`
  const formsUrl = url + formsPath
  try {
    const sandbox = openSandbox({...options, url, formsUrl, batchMs: logBatchMs})
    listener = createListener(sandbox, connections, onFault)
    // Some machines know localhost by the newer address only; others do not have it, and nothing is lost.
    await listen(serverAlso, port, addressAlso).catch(() => {})
    const delivery = await sandbox.startDelivery(notice)
    const withdrawAddress = publishAddress(options.file, url)
    return {
      url,
      formsUrl,
      apiKey: sandbox.apiKey,
      async stop() {
        connections.stopping = true
        withdrawAddress()
        for (const response of connections.hanging) response.destroy()
        await Promise.all([...servers.map(close), delivery.stop()])
        sandbox.close()
      },
    }
  } catch (error) {
    await Promise.all(servers.map(close))
    throw error
  }
}
