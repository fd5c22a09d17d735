// A load from this process: so many connections that are kept alive, each asking again as soon as it was answered.
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

// Runs the requests that `next` makes for so long, and returns how many were answered with 2xx in a second.
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
