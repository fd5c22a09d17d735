// The tools that pay: one prices a payment and checks the limits, the other pays it once, after a person's yes.
import {createHash} from 'node:crypto'
import http from 'node:http'
import type {AddressInfo} from 'node:net'
import {z} from 'zod'
import {openLink} from '../cli/browser.ts'
import {SvcError} from '../errors.ts'
import type {Caller} from '../profiles/caller.ts'
import {type Content, html} from '../web/html.ts'
import {renderServedPage} from '../web/page.ts'
import {renderFacts} from '../web/parts.ts'
import {formStylesheet} from '../web/stylesheet.ts'
import {createPageHeaders, createToken, isEqual} from '../web/serve.ts'
import {type RunTool, type ToolAnswer, describeFailure} from './run-tool.ts'
import {routeFlags, routeInput} from './tools.ts'

const text = z.string().min(1).max(500)

const keyAdvice =
  'The key names this payment for ever, such as invoice-4711: choose it from what is paid, and use the same one for every retry. Another key is another payment.'

export const prepareInput = z.strictObject({
  key: text.describe(keyAdvice),
  ...routeInput,
  maxFee: text.optional().describe('The highest fee, as an amount or a percentage such as 1%'),
})

export const commitInput = z.strictObject({
  planId: text.describe('From pay_prepare'),
  key: text.describe(`The same key as in pay_prepare. ${keyAdvice}`),
})

type PrepareInput = z.output<typeof prepareInput>
type CommitInput = z.output<typeof commitInput>

export const prepareDescription = `Prices a payment and checks the limits of the profile, without paying. Returns a plan id for pay_commit. ${keyAdvice}`
export const commitDescription =
  'Pays a prepared plan, once. A person at this machine is asked on a page that svc opens; silence is a no, and nothing in the chat counts as a yes. If the answer is lost or the outcome is unknown, call it again with the same plan and the same key: it pays once.'

interface Plan {
  input: PrepareInput
  argv: string[]
}

// Nothing but the content decides the id, so preparing the same payment again gives the same plan.
const createPlanId = (argv: readonly string[], profile: string) =>
  `plan_${createHash('sha256')
    .update(JSON.stringify([profile, ...argv]))
    .digest('hex')
    .slice(0, 24)}`

const refuse = (error: string, message: string, hint: string): ToolAnswer =>
  describeFailure(new SvcError({error, kind: 'limit', message, hint}))

interface PaymentToolSettings {
  profile: string
  runTool: RunTool
  // The profile as it is now: it may be changed while the server runs.
  findCaller: () => Caller | undefined
  ask: AskOptions
}

// Why this profile may not pay through an agent.
function findRefusal(caller: Caller | undefined, profile: string): ToolAnswer | undefined {
  if (!caller) return refuse('NO_PROFILE', `There is no profile "${profile}"`, 'Ask the operator')
  if (caller.readOnly) {
    return refuse('READ_ONLY', `The profile "${profile}" may only read`, 'The operator can change that')
  }
  const {paymentMax, dayMax} = caller.spending ?? {}
  if (paymentMax ?? dayMax) return undefined
  return refuse(
    'NO_CAPS',
    `The profile "${profile}" has no caps, and an agent pays only within caps`,
    `The operator sets them: svc profiles set ${profile} --payment-max USDC=100 --day-max USDC=500`,
  )
}

export function createPaymentTools({profile, runTool, findCaller, ask}: PaymentToolSettings) {
  const plans = new Map<string, Plan>()
  const approved = new Set<string>()
  const pending = new Map<string, Promise<boolean>>()

  // Calls that repeat a question while it is open wait for the same answer. A no is not remembered.
  async function isApproved(planId: string, {input}: Plan): Promise<boolean> {
    if (approved.has(planId)) return true
    const asked =
      pending.get(planId) ??
      askPerson(
        {
          title: 'Pay this?',
          facts: [
            ['Amount', [input.amount, input.fromCurrency].filter(Boolean).join(' ')],
            ['From account', input.from],
            ['To account', input.to],
            ['Customer', input.customer],
            ['Highest fee', input.maxFee ?? 'not limited'],
            ['Key', input.key],
            ['Profile', profile],
          ],
        },
        ask,
      ).then((answer) => answer === 'yes')
    pending.set(planId, asked)
    try {
      const isYes = await asked
      if (isYes) approved.add(planId)
      return isYes
    } finally {
      pending.delete(planId)
    }
  }

  return {
    async prepare(input: PrepareInput): Promise<ToolAnswer> {
      const argv = [...routeFlags(input), `--key=${input.key}`, ...(input.maxFee ? [`--max-fee=${input.maxFee}`] : [])]
      const answer = await runTool('pay', [...argv, '--dry-run'])
      const planId = createPlanId(argv, profile)
      if (answer.exitCode !== 0) return answer
      plans.set(planId, {input, argv})
      return {...answer, planId, key: input.key}
    },

    async commit({planId, key}: CommitInput): Promise<ToolAnswer> {
      const plan = plans.get(planId)
      if (!plan)
        return refuse(
          'NO_PLAN',
          `There is no plan ${planId}`,
          'Call pay_prepare with the same content and the same key',
        )
      if (plan.input.key !== key) {
        return refuse('OTHER_KEY', 'The plan was prepared with another key', 'Use the key of pay_prepare')
      }
      const refusal = findRefusal(findCaller(), profile)
      if (refusal) return refusal
      if (!(await isApproved(planId, plan))) {
        return refuse(
          'NOT_APPROVED',
          'Nobody at this machine said yes, so nothing was paid',
          'Ask the person, then call it again',
        )
      }
      return runTool('pay', [...plan.argv, '--yes', '--no-draft'])
    },
  }
}

// Asks the person at this machine for a yes, on a page of this process on loopback. A program that talks to svc over standard input
// does not get the address of the page, and no answer in time is a no.
export interface Question {
  title: string
  // What is asked for, as pairs of a label and a value.
  facts: ReadonlyArray<readonly [label: string, value: string]>
}

export type Answer = 'yes' | 'no' | 'silence'

interface AskOptions {
  // Called with the address of the page, which must not reach the agent.
  announce: (url: string) => void
  waitMs?: number | undefined
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

const renderQuestion = ({title, facts}: Question, proof: string) =>
  renderPage(
    title,
    html`<p>A program that uses svc asks for this. Nothing is paid without your yes.</p>
      ${renderFacts(facts)}
      <form method="post" class="actions">
        <input type="hidden" name="proof" value="${proof}" />
        <button name="answer" value="no" class="plain" autofocus>No</button>
        <button name="answer" value="yes" class="plain">Yes, pay</button>
      </form>`,
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
      const send = (status: number, body: string, type = 'text/html') => {
        response.writeHead(status, {...createPageHeaders(), 'content-type': `${type}; charset=utf-8`})
        response.end(body)
      }
      const handle = async () => {
        // A web page whose name resolves to this machine would send its own name as the host.
        if (request.headers.host !== new URL(origin).host) return send(403, 'Forbidden\n', 'text/plain')
        if (request.url === stylesheetPath) return send(200, formStylesheet, 'text/css')
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
