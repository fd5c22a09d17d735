// The child process of the tests: pays once over a real socket, and kills itself at a given step.
import {createWireFetch} from '../../src/client/http.ts'
import {SvcError} from '../../src/errors.ts'
import type {PaymentContext} from '../../src/payments/protocol/context.ts'
import {payOnce} from '../../src/payments/protocol/drive.ts'
import {CustomerLists} from '../../src/payments/protocol/lists.ts'
import {type PriceLimits, omitReceive, withReceive} from '../../src/payments/protocol/payment.ts'
import {nameStep} from './steps.ts'
import {describeThisProcess} from '../../src/payments/journal/owner.ts'
import type {LooseQuote} from '../../src/contract/loose.ts'
import {listLagDefaultMs} from '../../src/profiles/service.ts'
import {openSqliteJournal} from '../../src/payments/journal/open-journal.ts'
import {FileClock} from '../support/scripted/clock.ts'
import {connect, content, serviceId} from './connect.ts'

export interface ChildOrder {
  url: string
  // The clock of the service, which this process moves instead of waiting.
  clockFile: string
  journalFile: string
  key: string
  receive?: string | undefined
  limits: PriceLimits
  crashAt?: string | undefined
  waitMs: number
  mayResend?: boolean | undefined
  requestTimeoutMs: number
}

const order = JSON.parse(process.argv[2] ?? '{}') as ChildOrder
const fileClock = new FileClock(order.clockFile)
const now = () => fileClock.now()
const endsAt = now() + order.waitMs
const {requestTimeoutMs} = order
const {clock, client, service} = connect(createWireFetch(), now, {baseUrl: order.url, requestTimeoutMs})
const journal = openSqliteJournal(order.journalFile, {now})

try {
  const context: PaymentContext = {
    service: {
      ...service,
      // Skips the validation of the body, which would load more code than everything else.
      quote: async (wanted) =>
        (await client.raw({method: 'POST', path: '/quotes', body: JSON.stringify(omitReceive(wanted))}))
          .body as LooseQuote,
    },
    lists: new CustomerLists({service, journal, memory: journal, clock, listLagMaxMs: listLagDefaultMs}),
    journal,
    clock,
    owner: describeThisProcess(),
    controls: {},
    mayResend: order.mayResend ?? true,
    areKeysHonoured: false,
    listLagMaxMs: listLagDefaultMs,
    pause: async (ms) => fileClock.advance(Math.ceil(ms)),
    remainingMs: () => Math.max(0, endsAt - now()),
    onAction: (action) => {
      if (nameStep(action) === order.crashAt) process.kill(process.pid, 'SIGKILL')
    },
  }
  const {payment} = await payOnce(context, {
    intent: {serviceId, key: order.key, content: withReceive(content, order.receive)},
    limits: order.limits,
    isGuaranteed: false,
  })
  process.stdout.write(JSON.stringify({code: 0, transactionId: payment.transactionId}))
} catch (error) {
  if (!(error instanceof SvcError)) throw error
  process.stdout.write(JSON.stringify({code: error.exitCode, message: error.message}))
}
process.exit()
