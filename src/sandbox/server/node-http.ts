// Between node:http and the sandbox: reads what is asked off the wire, and puts the answer on it, or breaks it on demand.
import type {IncomingMessage, ServerResponse} from 'node:http'
import {limits} from '../../contract/limits.ts'
import {type SandboxResponse, type SandboxRequest, createTooLargeError} from '../http/exchange.ts'
import {badRequest} from '../http/service-error.ts'

// How long a client may go on sending what nobody reads before it is cut off.
const lingerMs = 2_000

const createBrokenOffError = () => badRequest({path: '', message: 'broke off before its end'})

function readBody(incoming: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let total = 0
    const take = (chunk: Buffer) => {
      total += chunk.length
      if (total <= limits.requestBytesMax) {
        chunks.push(chunk)
      } else {
        incoming.off('data', take)
        reject(createTooLargeError())
      }
    }
    incoming.on('data', take)
    incoming.once('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, total)))
    incoming.once('error', () => reject(createBrokenOffError()))
    // After the end this says nothing new, and an error is not made for nothing.
    incoming.once('close', () => incoming.complete || reject(createBrokenOffError()))
  })
}

export function fromNodeRequest(incoming: IncomingMessage, response: ServerResponse): SandboxRequest {
  const {headers, method = 'GET', url = ''} = incoming
  return {
    method,
    target: url,
    header(name) {
      const value = headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
    body() {
      // Whoever asked whether to send the body is told so only now, when it is sure that it is wanted.
      if (headers.expect !== undefined) response.writeContinue()
      return readBody(incoming)
    },
  }
}

// A body that nobody wanted is thrown away as it comes, so that the answer can still be read, but not for ever.
function discard(incoming: IncomingMessage) {
  if (incoming.complete) return
  incoming.resume()
  const limit = setTimeout(() => incoming.destroy(), lingerMs)
  incoming.once('close', () => clearTimeout(limit))
}

function write(response: ServerResponse, {status, headers, body}: SandboxResponse) {
  const length = status === 204 ? undefined : {'content-length': Buffer.byteLength(body)}
  response.writeHead(status, {...headers, ...length})
  response.end(body)
}

function truncate(response: ServerResponse, {status, headers, body}: SandboxResponse) {
  const bytes = Buffer.from(body)
  response.writeHead(status, {...headers, 'content-length': bytes.length})
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy())
}

// What the server knows of all its connections.
export interface ServerConnections {
  // Told to stop: no connection is kept for another request.
  stopping: boolean
  // Those that a fault leaves without an answer, until the client gives up or the server stops.
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
