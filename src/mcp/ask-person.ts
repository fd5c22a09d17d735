// Asks the person at this machine for a yes, on a page of this process on loopback. A program that talks to svc over standard input
// does not get the address of the page, no other user can open it, and no answer in time is a no.
import type http from 'node:http'
import {openLink} from '../cli/browser.ts'
import type {PricedPayment} from '../cli/config.ts'
import type {BoxLine, BoxRow} from '../cli/output/box.ts'
import {cleanText} from '../cli/output/clean.ts'
import {createPageReply, createTextReply, renderMessage, servePages, stylesheetPath} from '../web/entrance.ts'
import {type Content, html} from '../web/html.ts'
import {renderFacts} from '../web/parts.ts'
import {isEqualSecret} from '../values/text.ts'
import {createToken} from '../web/serve.ts'
import {stylesheets} from '../web/stylesheet.frozen.ts'

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
  // Ends the question and its page when the session ends.
  signal?: AbortSignal | undefined
  // Ends the question when the program no longer waits. Its page stays, and says so.
  withdrawn?: AbortSignal | undefined
  // Whether the program waits now. If not, nothing is paid before it asks again.
  isAwaited?: (() => boolean) | undefined
}

const waitDefaultMs = 5 * 60_000

// How long a person may take to answer.
export const computeWaitMs = ({waitMs = waitDefaultMs}: AskOptions, {lifeMs}: Pick<Question, 'lifeMs'>) =>
  Math.min(waitMs, lifeMs)

const bodyBytesMax = 1_000

const renderPage = (title: string, content: Content) => renderMessage(title, content, stylesheetPath)

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

function renderAnswer(given: 'yes' | 'no', isAwaited: boolean) {
  if (given === 'no') return renderPage('No: nothing is paid', html`<p>You can close this page.</p>`)
  return isAwaited
    ? renderPage('Yes: svc pays it now', html`<p>The program gets the result. You can close this page.</p>`)
    : renderPage(
        'Yes: svc pays it when the program asks again',
        html`<p>If it does not before the price runs out, nothing is paid. You can close this page.</p>`,
      )
}

const renderWithdrawn = () =>
  renderPage(
    'The program no longer waits: nothing is paid',
    html`<p>It has ended its request, so no answer counts any more. You can close this page.</p>`,
  )

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

function onAbort(signal: AbortSignal | undefined, act: () => void): void {
  if (signal?.aborted) act()
  else signal?.addEventListener('abort', () => act(), {once: true})
}

const forbidden = createTextReply(403, 'Forbidden')

export async function askPerson(question: Question, options: AskOptions): Promise<Answer> {
  const {signal, withdrawn, isAwaited = () => true} = options
  const waitMs = computeWaitMs(options, question)
  // In the form of the page, so that only the page itself can be answered.
  const proof = createToken()
  const {promise: answered, resolve: setAnswer} = Promise.withResolvers<Answer>()
  const server = await servePages({
    port: 0,
    linkLifeMs: waitMs,
    css: stylesheets.form,
    isReadOnly: false,
    advice: 'It was used before, or is too old. Without your yes nothing is paid.',
    notLetIn: 'Forbidden',
    handle: async (request, {path}) => {
      if (path !== '/') return forbidden
      const form = request.method === 'POST' ? await readBody(request) : undefined
      if (withdrawn?.aborted) return createPageReply(410, renderWithdrawn())
      if (!form) return createPageReply(200, renderQuestion(question, proof))
      const answer = form.get('answer')
      if (!isEqualSecret(form.get('proof') ?? '', proof) || (answer !== 'yes' && answer !== 'no')) return forbidden
      // The page that thanks for it is sent first.
      setImmediate(() => setAnswer(answer))
      return createPageReply(200, renderAnswer(answer, isAwaited()))
    },
  })

  // The page outlives a question that is withdrawn, until somebody could have answered it.
  const {promise: over, resolve: end} = Promise.withResolvers<void>()
  const timer = setTimeout(end, waitMs)
  onAbort(signal, end)
  onAbort(withdrawn, () => setAnswer('silence'))
  void over.then(() => setAnswer('silence'))

  const isSeen = Promise.race([server.entered, answered])
  const link = server.createLink()
  void openLink(link, isSeen).then((problem) => problem !== undefined && options.announce(link))

  const answer = await answered
  if (!withdrawn?.aborted) end()
  void over.then(() => {
    clearTimeout(timer)
    return server.stop()
  })
  return answer
}
