// Generates load from this process: keep-alive connections that each send a request as soon as the last one is answered.
import http from 'node:http'

export interface LoadRequest {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
}

interface Answer {
  status: number
  text: string
}

// Sends the requests that `next` creates for the given time, and returns how many got a 2xx reply per second.
export async function requestsPerSecond(
  url: string,
  connections: number,
  ms: number,
  next: () => LoadRequest | undefined,
  onAnswer: (answer: Answer) => void = () => {},
): Promise<number> {
  const agent = new http.Agent({keepAlive: true, maxSockets: connections})
  const started = performance.now()
  let answered = 0
  const worker = async () => {
    while (performance.now() - started < ms) {
      const request = next()
      if (!request) return
      const answer = await send(url, agent, request)
      const {status, text} = answer
      if (status < 200 || status > 299)
        throw new Error(`${request.method} ${request.path} was answered ${status}: ${text}`)
      answered++
      onAnswer(answer)
    }
  }
  await Promise.all(Array.from({length: connections}, worker))
  agent.destroy()
  return answered / ((performance.now() - started) / 1000)
}

export function send(
  url: string,
  agent: http.Agent | undefined,
  {method, path, headers, body}: LoadRequest,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request(`${url}${path}`, {
      method,
      ...(agent && {agent}),
      headers: {
        ...headers,
        ...(body !== undefined && {'content-type': 'application/json', 'content-length': Buffer.byteLength(body)}),
      },
    })
    request.on('error', reject)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString()}))
      response.on('error', reject)
    })
    request.end(body)
  })
}
