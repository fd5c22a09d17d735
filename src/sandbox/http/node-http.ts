// Converts requests and responses between node:http and the sandbox, and applies faults to the connection.
import type {IncomingMessage, ServerResponse} from 'node:http'
import {type SandboxResponse, type SandboxRequest, readBytes} from './exchange.ts'
import {ServiceError, badRequest} from './service-error.ts'

// How long a client may keep sending a body that nobody reads.
const lingerMs = 2_000

// The connection stays open after a body that is too large, so that the client can read the reply.
async function readBody(incoming: IncomingMessage): Promise<Uint8Array> {
  try {
    return await readBytes(incoming.iterator({destroyOnReturn: false}))
  } catch (error) {
    throw error instanceof ServiceError ? error : badRequest({path: '', message: 'ended too early'})
  }
}

export function fromNodeRequest(incoming: IncomingMessage): SandboxRequest {
  const {headers, method = 'GET', url = ''} = incoming
  return {
    method,
    target: url,
    header(name) {
      const value = headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
    body: () => readBody(incoming),
  }
}

// Reads and drops an unread body for a limited time, so that the client can still read the response.
function discard(incoming: IncomingMessage) {
  if (incoming.complete) return
  incoming.resume()
  const limit = setTimeout(() => incoming.destroy(), lingerMs)
  incoming.once('close', () => clearTimeout(limit))
}

function write(response: ServerResponse, {status, headers, body}: SandboxResponse) {
  const length = status === 204 ? {} : {'content-length': Buffer.byteLength(body)}
  return response.writeHead(status, {...headers, ...length}).end(body)
}

function truncate(response: ServerResponse, {status, headers, body}: SandboxResponse) {
  const bytes = Buffer.from(body)
  response.writeHead(status, {...headers, 'content-length': bytes.length})
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy())
}

export interface ServerConnections {
  // The server is stopping: no connection is kept for another request.
  stopping: boolean
  // Responses that a fault holds back until the client gives up or the server stops.
  hanging: Set<ServerResponse>
}

function hang(response: ServerResponse, {hanging}: ServerConnections) {
  hanging.add(response)
  response.once('close', () => hanging.delete(response))
}

export function writeNodeResponse(
  incoming: IncomingMessage,
  response: ServerResponse,
  sandboxResponse: SandboxResponse,
  connections: ServerConnections,
): void {
  const {fault} = sandboxResponse
  // The sandbox writes the Date of its own clock, or none.
  response.sendDate = false
  const respond = () => {
    if (response.destroyed) return undefined
    if (connections.stopping) response.shouldKeepAlive = false
    switch (fault?.breaks) {
      case 'reset':
        return void response.socket?.resetAndDestroy()
      case 'lose':
        return void response.destroy()
      case 'hang':
        return hang(response, connections)
      case 'truncate':
        return truncate(response, sandboxResponse)
      case undefined:
        write(response, sandboxResponse)
        return discard(incoming)
    }
  }
  if (!fault?.delayMs) return respond()
  const timer = setTimeout(respond, fault.delayMs)
  response.once('close', () => clearTimeout(timer))
}
