// Asks the person at this machine for a yes, on a page of this process on loopback. A program that talks to svc over standard input
// does not get the address of the page, and no answer in time is a no.
import http from 'node:http'
import type {AddressInfo} from 'node:net'
import {openLink} from '../cli/browser.ts'
import {createPageHeaders, createToken, isEqual} from '../web/serve.ts'
import {type Html, html} from '../web/html.ts'

export interface Question {
  title: string
  // What is asked for, as pairs of a label and a value.
  facts: ReadonlyArray<readonly [label: string, value: string]>
}

export type Answer = 'yes' | 'no' | 'silence'

export interface AskOptions {
  // Called with the address of the page, which must not reach the agent.
  announce: (url: string) => void
  waitMs?: number | undefined
}

const address = '127.0.0.1'
const waitDefaultMs = 5 * 60_000
const bodyBytesMax = 1_000
const stylesheetPath = '/page.css'

const stylesheet = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 40rem; margin: 3rem auto; padding: 0 1rem }
dt { font-weight: 600 } dd { margin: 0 0 .75rem; overflow-wrap: anywhere }
form { display: flex; gap: 1rem } button { font: inherit; padding: .5rem 1.5rem }`

const renderPage = (title: string, content: Html) =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        <link rel="stylesheet" href="${stylesheetPath}" />
      </head>
      <body>
        <h1>${title}</h1>
        ${content}
      </body>
    </html>`.toString()

const renderQuestion = ({title, facts}: Question, proof: string) =>
  renderPage(
    title,
    html`<p>A program that uses svc asks for this. Nothing is paid without your yes.</p>
      <dl>
        ${facts.map(
          ([label, value]) =>
            html`<dt>${label}</dt>
              <dd>${value}</dd>`,
        )}
      </dl>
      <form method="post">
        <input type="hidden" name="proof" value="${proof}" />
        <button name="answer" value="no" autofocus>No</button>
        <button name="answer" value="yes">Yes, pay</button>
      </form>`,
  )

async function readBody(request: http.IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += (chunk as Buffer).length
    if (size > bodyBytesMax) break
    chunks.push(chunk as Buffer)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString())
}

export async function askPerson(question: Question, {announce, waitMs = waitDefaultMs}: AskOptions): Promise<Answer> {
  const [token, proof] = [createToken(), createToken()]
  const server = http.createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({port: 0, host: address, exclusive: true}, resolve)
  })
  const origin = `http://${address}:${(server.address() as AddressInfo).port}`
  const answer = new Promise<Answer>((resolve) => {
    const timer = setTimeout(resolve, waitMs, 'silence')
    server.on('request', (request: http.IncomingMessage, response: http.ServerResponse) => {
      const send = (status: number, text: string, type = 'text/html') => {
        response.writeHead(status, {...createPageHeaders(), 'content-type': `${type}; charset=utf-8`})
        response.end(text)
      }
      const handle = async () => {
        // A web page whose name resolves to this machine would send its own name as the host.
        if (request.headers.host !== new URL(origin).host) return send(403, 'Forbidden\n', 'text/plain')
        if (request.url === stylesheetPath) return send(200, stylesheet, 'text/css')
        if (!isEqual(request.url ?? '', `/${token}`)) return send(404, 'Not found\n', 'text/plain')
        if (request.method === 'GET') return send(200, renderQuestion(question, proof))
        const form = request.method === 'POST' ? await readBody(request) : undefined
        const isOwnForm = request.headers.origin === origin && isEqual(form?.get('proof') ?? '', proof)
        const given = form?.get('answer')
        if (!isOwnForm || (given !== 'yes' && given !== 'no')) return send(403, 'Forbidden\n', 'text/plain')
        clearTimeout(timer)
        send(
          200,
          renderPage(
            given === 'yes' ? 'Yes: it is paid' : 'No: nothing is paid',
            html`<p>You can close this page.</p>`,
          ),
        )
        return resolve(given)
      }
      handle().catch(() => response.destroy())
    })
  })
  const url = `${origin}/${token}`
  announce(url)
  void openLink(url)
  try {
    return await answer
  } finally {
    server.close()
    server.closeIdleConnections()
  }
}
