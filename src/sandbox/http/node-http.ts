// Converts requests and responses between node:http and the sandbox, and applies faults to the connection.
import type {IncomingMessage, ServerResponse} from 'node:http'
import {limits} from '../../contract/vocabulary.ts'
import {type SandboxResponse, type SandboxRequest, createTooLargeError} from './exchange.ts'
import {badRequest} from './service-error.ts'

// How long a client may keep sending a body that nobody reads.
const lingerMs = 2_000

const createBrokenOffError = () => badRequest({path: '', message: 'ended too early'})

function readBody(incoming: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let total = 0
    const addChunk = (chunk: Buffer) => {
      total += chunk.length
      if (total <= limits.requestBytesMax) {
        chunks.push(chunk)
      } else {
        incoming.off('data', addChunk)
        reject(createTooLargeError())
      }
    }
    incoming.on('data', addChunk)
    incoming.once('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, total)))
    incoming.once('error', () => reject(createBrokenOffError()))
    // After 'end' there is nothing to reject, so no error is created.
    incoming.once('close', () => incoming.complete || reject(createBrokenOffError()))
  })
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

const encoder = new TextEncoder()
const scratch = new Uint8Array(256 * 1_024)

// Encoding the text of a page takes less time than Buffer.byteLength().
function countBytes(body: string): number {
  const {read, written} = encoder.encodeInto(body, scratch)
  return read === body.length ? written : Buffer.byteLength(body)
}

function write(response: ServerResponse, {status, headers, body}: SandboxResponse) {
  const bytes = countBytes(body)
  response.writeHead(status, {...headers, ...(status !== 204 && {'content-length': bytes})})
  // ASCII text is the same in Latin-1, which Node writes without a copy.
  return response.end(body, bytes === body.length ? 'latin1' : 'utf8')
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
