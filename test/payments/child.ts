// The child process of the tests: pays once over a real socket, and kills itself at a given step.
import {DatabaseSync} from 'node:sqlite'
import {createClient} from '../../src/client/client.ts'
import {createWireFetch} from '../../src/client/http.ts'
import {SvcError} from '../../src/errors.ts'
import {createServerClock} from '../../src/payments/protocol/clock.ts'
import type {PaymentContext} from '../../src/payments/protocol/context.ts'
import {payOnce} from '../../src/payments/protocol/drive.ts'
import {type PaymentContent, type PriceLimits, omitReceive} from '../../src/payments/protocol/payment.ts'
import {createService} from '../../src/payments/protocol/service.ts'
import {nameStep} from './steps.ts'
import {describeThisProcess} from '../../src/payments/journal/owner.ts'
import {resolveReceive} from '../../src/payments/pay/receive.ts'
import type {LooseQuote} from '../../src/contract/loose.ts'
import {listLagDefaultMs} from '../../src/profiles/service.ts'
import {openSqliteJournal} from '../../src/payments/journal/open-journal.ts'

export interface ChildOrder {
  url: string
  apiKey: string
  // The database of the sandbox, whose clock is frozen.
  sandboxFile: string
  journalFile: string
  serviceId: string
  key: string
  content: PaymentContent
  limits: PriceLimits
  crashAt?: string | undefined
  waitMs: number
  requestTimeoutMs: number
}

const order = JSON.parse(process.argv[2] ?? '{}') as ChildOrder

const sandbox = new DatabaseSync(order.sandboxFile, {timeout: 10_000})
const readClock = sandbox.prepare('select frozenAt from sandbox')
const moveClock = sandbox.prepare('update sandbox set offsetMs = offsetMs + :ms, frozenAt = frozenAt + :ms')
const now = () => Number(readClock.get()?.['frozenAt'])
const endsAt = now() + order.waitMs

const clock = createServerClock(now, now)
const client = createClient({
  baseUrl: order.url,
  fetch: createWireFetch(),
  credential: async () => order.apiKey,
  renewable: false,
  callerLabel: 'the test',
  gate: {enforce: () => {}},
  userAgent: 'svc/test',
  requestTimeoutMs: order.requestTimeoutMs,
  retriesReads: false,
  onReply: ({headers}) => clock.observeDate(headers.get('date')),
})
const journal = openSqliteJournal(order.journalFile, {now})

try {
  const context: PaymentContext = {
    service: {
      ...createService(client),
      // Skips the validation of the body, which would load more code than everything else.
      quote: async (content) =>
        (await client.raw({method: 'POST', path: '/quotes', body: JSON.stringify(omitReceive(content))}))
          .body as LooseQuote,
    },
    journal,
    clock,
    owner: describeThisProcess(),
    controls: {},
    mayResend: true,
    areKeysHonoured: false,
    listLagMaxMs: listLagDefaultMs,
    pause: async (ms) => void moveClock.run({ms: Math.ceil(ms)}),
    remainingMs: () => Math.max(0, endsAt - now()),
    onAction: (action) => {
      if (nameStep(action) === order.crashAt) process.kill(process.pid, 'SIGKILL')
    },
  }
  const {payment} = await payOnce(
    context,
    await resolveReceive(context, {
      intent: {serviceId: order.serviceId, key: order.key, content: order.content},
      limits: order.limits,
      isGuaranteed: false,
    }),
  )
  process.stdout.write(JSON.stringify({code: 0, transactionId: payment.transactionId}))
} catch (error) {
  if (!(error instanceof SvcError)) throw error
  process.stdout.write(JSON.stringify({code: error.exitCode, message: error.message}))
}
process.exit()
