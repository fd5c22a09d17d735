// Serves a sandbox in this process for the tests, and sends it requests that no client library would send.
import fs from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import {onTestFinished} from 'vitest'
import {type RunningServer, type ServerOptions, startServer} from '../../../src/sandbox/http/server.ts'
import {temporaryFile} from '../open.ts'
import {copySeededSandbox} from '../../support/seeded-sandbox.ts'

export interface Served {
  url: string
  // A link to the console that was not used yet.
  consoleUrl: string
  port: number
  apiKey: string
  control: Pick<RunningServer, 'controlUrl' | 'controlToken' | 'controlOpenapiUrl'>
  file: string
  notices: string[]
  stop: () => Promise<void>
}

export async function serveTemporary(file = temporaryFile(), options: Partial<ServerOptions> = {}): Promise<Served> {
  const notices: string[] = []
  if (!fs.existsSync(file)) copySeededSandbox(file)
  const server = await startServer({file, port: 0, notice: (text) => notices.push(text), ...options})
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= server.stop())
  onTestFinished(stop)
  return {
    url: server.url,
    consoleUrl: server.consoleUrl,
    port: Number(new URL(server.url).port),
    apiKey: server.apiKey,
    control: server,
    file,
    notices,
    stop,
  }
}

export interface HttpReply {
  status: number
  headers: http.IncomingHttpHeaders
  text: string
}

interface SentRequest {
  body?: unknown
  headers?: Record<string, string>
}

// Sends one request on a new connection; rejects if the connection breaks.
export function sendHttp(url: string, method: string, {body, headers = {}}: SentRequest = {}): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, {method, agent: false, headers})
    request.on('error', reject)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      )
    })
    request.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body))
  })
}

// The same to a sandbox, with its credential.
export const sendRequest = ({url, apiKey}: Served, method: string, path: string, {body, headers}: SentRequest = {}) =>
  sendHttp(url + path, method, {body, headers: {authorization: `Bearer ${apiKey}`, ...headers}})

// Writes raw bytes, and reads until the server closes the connection.
export function sendRawBytes(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1')
    let received = ''
    socket.setEncoding('utf8')
    socket.on('data', (text: string) => (received += text))
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
    socket.write(bytes)
  })
}
