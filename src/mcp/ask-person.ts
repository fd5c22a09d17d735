// Asks the person at this machine for a yes, on a page of this process on loopback. A program that talks to svc over standard input
// does not get the address of the page, no other user can open it, and no answer in time is a no.
import http from 'node:http'
import type {AddressInfo} from 'node:net'
import {openOwnPage} from '../cli/browser.ts'
import type {PricedPayment} from '../cli/config.ts'
import type {BoxLine, BoxRow} from '../cli/output/box.ts'
import {cleanText} from '../cli/output/clean.ts'
import {type Entrance, createEntrance} from '../web/entrance.ts'
import {type Content, html} from '../web/html.ts'
import {renderServedPage} from '../web/page.ts'
import {renderFacts} from '../web/parts.ts'
import {createPageHeaders, createToken, isEqual} from '../web/serve.ts'
import {formStylesheet} from '../web/stylesheet.ts'

export interface Question extends Pick<PricedPayment, 'box' | 'lifeMs'> {
  // What the program calls it. The page shows it as somebody else's words.
  quotation: string
  profile: string
}

export type Answer = 'yes' | 'no' | 'silence'

export interface AskOptions {
  // Called with a link to the page, which must not reach the agent, if no browser shows it.
  announce: (link: string) => void
  waitMs?: number | undefined
  // Ends the question when the program that asks has gone.
  signal?: AbortSignal | undefined
}

const address = '127.0.0.1'
const waitDefaultMs = 5 * 60_000
const bodyBytesMax = 1_000
const stylesheetPath = '/page.css'

const renderPage = (title: string, content: Content) =>
  renderServedPage({
    title,
    stylesheet: stylesheetPath,
    body: html`<main>
      <div class="card">
        <h1>${title}</h1>
        ${content}
      </div>
    </main>`,
  })

// What comes from the service is cleaned, so that nothing in it can look like another line.
const renderLine = ({text, tone}: BoxLine): Content => {
  const cleaned = cleanText(text).trim()
  return cleaned !== '' && html`<div>${tone === 'bold' ? html`<strong>${cleaned}</strong>` : cleaned}</div>`
}

const renderRow = ({label, lines}: BoxRow) => [label, lines.map(renderLine)] as const

const renderQuestion = ({box, quotation, profile}: Question, proof: string) =>
  renderPage(
    `${cleanText(box.title)}?`,
    html`<p>
        A program that uses svc asks for this. svc has read it from the service. Nothing is paid without your yes.
      </p>
      ${renderFacts([...box.groups.flat().map(renderRow), ['Profile', profile]])}
      <p>The program calls it <q>${cleanText(quotation)}</q>. Those are its own words: svc has not checked them.</p>
      <form method="post" class="actions">
        <input type="hidden" name="proof" value="${proof}" />
        <button name="answer" value="no" class="plain" autofocus>No</button>
        <button name="answer" value="yes" class="plain">Yes, pay</button>
      </form>`,
  )

const renderAnswer = (given: 'yes' | 'no') =>
  given === 'yes'
    ? renderPage('Yes: svc pays it now', html`<p>The program gets the result. You can close this page.</p>`)
    : renderPage('No: nothing is paid', html`<p>You can close this page.</p>`)

async function readBody(request: http.IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  let size = 0
  const arriving: AsyncIterable<Buffer> = request
  for await (const chunk of arriving) {
    size += chunk.length
    if (size > bodyBytesMax) break
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString())
}

interface Reply {
  status: number
  headers: Record<string, string>
  text: string
  answer?: 'yes' | 'no'
}

const createReply = (status: number, text: string, type = 'text/html'): Reply => ({
  status,
  headers: {...createPageHeaders(), 'content-type': `${type}; charset=utf-8`},
  text,
})

// The server ends with the answer, and the page that thanks for it still needs its looks.
const plainStylesheet = createReply(200, formStylesheet, 'text/css')
const stylesheet = {...plainStylesheet, headers: {...plainStylesheet.headers, 'cache-control': 'private, max-age=600'}}

const forbidden = createReply(403, 'Forbidden\n', 'text/plain')
const notFound = createReply(404, 'Not found\n', 'text/plain')

interface AskedQuestion {
  question: Question
  origin: string
  entrance: Entrance
  // In the form of the page, so that only the page itself can be answered.
  proof: string
}

async function respond(
  {question, origin, entrance, proof}: AskedQuestion,
  request: http.IncomingMessage,
): Promise<Reply> {
  const {method, headers, url: path = ''} = request
  // A web page whose name resolves to this machine would send its own name as the host.
  if (headers.host !== new URL(origin).host) return forbidden
  if (path === stylesheetPath) return stylesheet
  const entered = entrance.enter(method, path)
  if (entered) return entered
  if (path !== `${entrance.folder}/`) return notFound
  if (!entrance.isLetIn(headers.cookie)) return forbidden
  if (method === 'GET') return createReply(200, renderQuestion(question, proof))
  const form = method === 'POST' ? await readBody(request) : undefined
  const isOwnForm = headers.origin === origin && isEqual(form?.get('proof') ?? '', proof)
  const answer = form?.get('answer')
  if (!isOwnForm || (answer !== 'yes' && answer !== 'no')) return forbidden
  return {...createReply(200, renderAnswer(answer)), answer}
}

async function listen(server: http.Server): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({port: 0, host: address, exclusive: true}, resolve)
  })
  return `http://${address}:${(server.address() as AddressInfo).port}`
}

export async function askPerson(question: Question, options: AskOptions): Promise<Answer> {
  const waitMs = Math.min(options.waitMs ?? waitDefaultMs, question.lifeMs)
  const server = http.createServer()
  const origin = await listen(server)
  const entrance = createEntrance({
    linkLifeMs: waitMs,
    stylesheet: stylesheetPath,
    advice: 'It was used before, or is too old. Without your yes nothing is paid.',
  })
  const asked = {question, origin, entrance, proof: createToken()}
  const answered = new Promise<Answer>((resolve) => {
    const timer = setTimeout(resolve, waitMs, 'silence')
    options.signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve('silence')
    })
    server.on('request', (request: http.IncomingMessage, response: http.ServerResponse) => {
      const handle = async () => {
        const {status, headers, text, answer} = await respond(asked, request)
        response.writeHead(status, headers).end(text)
        if (!answer) return
        clearTimeout(timer)
        resolve(answer)
      }
      handle().catch(() => response.destroy())
    })
  })
  const isSeen = Promise.race([entrance.entered, answered])
  void openOwnPage({link: origin + entrance.createLink(), isSeen, announce: options.announce})
  try {
    return await answered
  } finally {
    server.close()
    server.closeIdleConnections()
  }
}
