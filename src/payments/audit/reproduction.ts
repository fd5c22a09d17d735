// Makes a payment again in a sandbox with a frozen clock, by the same protocol, so that its journal gets the same lines at the
// same times. The service answers as the history of the original says that it did.
import {randomUUID} from 'node:crypto'
import fs from 'node:fs'
import {type Client, createClient} from '../../client/client.ts'
import type {LooseTransaction} from '../../contract/loose.ts'
import {SvcError, badUsage} from '../../errors.ts'
import type {ServiceTraits} from '../../profiles/service-knowledge.ts'
import {isDatabase} from '../../storage/journal-address.ts'
import {inMemory} from '../../storage/sqlite.ts'
import {type Sandbox, connectFrozenSandbox, createSandbox} from '../../transport.ts'
import {quoteForShell} from '../../values/text.ts'
import {minuteMs} from '../../values/time.ts'
import {joinFormerIds, readHistory} from '../journal/entries.ts'
import {type Journal, describeThisProcess} from '../journal/journal.ts'
import {openJournal} from '../journal/open-journal.ts'
import {hasJournalFile} from '../journal/sqlite/file.ts'
import type {PaymentContext} from '../protocol/context.ts'
import {settleManually} from '../protocol/manual-settlement.ts'
import {payOnce} from '../protocol/pay.ts'
import {type Payment, deriveCorrelationId, getLastAttempt, isContentKnown, omitReceive} from '../protocol/payment.ts'
import {createService} from '../protocol/service.ts'
import {Director, Diverged, RunEnded} from './director.ts'
import {type OriginalPayment, type ReproducedStep, type ScriptLine, getEnding, getWhy, writeScript} from './script.ts'

interface Reproduction {
  steps: ReproducedStep[]
  // Why it is not the same, if it is not.
  divergence?: string
  payment?: Payment | undefined
}

// So many runs without a new line mean that the history cannot come about like this.
const idleRunsMax = 3
const requestTimeoutMs = 30_000

// All accounts of the payment, also those of an earlier content.
const listRoutes = (lines: readonly ScriptLine[]) =>
  lines.map(({content: {customerId, source, destination}}) => ({
    customerId,
    source: {
      accountId: source.sourcePaymentAccountId,
      currency: source.sourceCurrency,
      method: source.sourcePaymentMethod,
    },
    destination: {
      accountId: destination.destinationPaymentAccountId,
      currency: destination.destinationCurrency,
      method: destination.destinationPaymentMethod,
    },
  }))

const createSandboxClient = async (sandbox: Sandbox): Promise<Client> =>
  createClient({
    ...(await connectFrozenSandbox(sandbox)),
    renewable: false,
    callerLabel: 'the reproduction',
    gate: {enforce: () => {}},
    userAgent: 'svc',
    requestTimeoutMs,
    retriesReads: false,
  })

// Its lines are checked against the script before they are written, and get the times of the script.
function directJournal(journal: Journal, director: Director): Journal {
  return new Proxy(journal, {
    get(target, name) {
      if (name === 'findOrCreate') {
        return async (intent: Parameters<Journal['findOrCreate']>[0]) => {
          const known = await target.find(intent.serviceId, intent.key)
          if (known) return known
          director.expect('INTENDED')
          const created = await target.findOrCreate(intent)
          director.record(created)
          return created
        }
      }
      if (name === 'commit') {
        return async (...given: Parameters<Journal['commit']>) => {
          director.expect(given[2].what)
          const written = await target.commit(...given)
          director.record(written)
          return written
        }
      }
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

interface Settings {
  sandbox: Sandbox
  // Opens the journal of the reproduction, on this clock.
  openJournal: (now: () => number) => Promise<Journal>
  onStep?: ((step: ReproducedStep, total: number) => Promise<void>) | undefined
}

// Another host, or a person, made the transaction that the journal adopted.
async function makeElsewhere(client: Client, {serviceId, key}: Payment, line: ScriptLine): Promise<void> {
  const quote = await client.quotes.create({body: omitReceive(line.content)})
  const bytes = JSON.stringify({quoteId: quote.quoteId, correlationId: deriveCorrelationId(serviceId, key)})
  await createService(client).send(bytes, randomUUID())
}

async function findOwn(client: Client, original: Payment, line: ScriptLine): Promise<LooseTransaction | undefined> {
  const correlationId = deriveCorrelationId(original.serviceId, original.key)
  for await (const page of createService(client).transactions(line.content.customerId)) {
    const own = page.find((each) => each.correlationId === correlationId)
    if (own) return own
  }
  return undefined
}

export async function reproduce(original: OriginalPayment, settings: Settings): Promise<Reproduction> {
  const {sandbox} = settings
  const {payment} = original
  const lines = writeScript(original)
  sandbox.money.standIn(listRoutes(lines))
  // The quotes of the original were taken at the times of the script, whatever the service thought of them.
  sandbox.faults.setBehaviours({expiredQuotes: 'accepted'})
  const client = await createSandboxClient(sandbox)
  const plain = createService(client)
  const director = new Director(lines, sandbox, {
    makeSure: async (line) => {
      const isMade = (await findOwn(client, payment, line)) !== undefined
      if (!isMade) await makeElsewhere(client, payment, line)
      sandbox.money.holdTransactions()
      const own = await findOwn(client, payment, line)
      const ending = getEnding(line)
      if (own && ending) director.endTransaction(String(own.transactionId), ending)
    },
  })
  const journal = directJournal(await settings.openJournal(() => director.journalNow()), director)
  const context: PaymentContext = {
    service: director.direct(plain),
    journal,
    clock: director.clock,
    owner: describeThisProcess(),
    controls: {},
    get mayResend() {
      return director.isNext('RESENDING')
    },
    // What was adopted just before it would have been sent was found by a second look.
    get areKeysHonoured() {
      return !director.isNext('ADOPTED')
    },
    get lookAgain() {
      return director.isNext('ADOPTED')
        ? (one: Payment) => collect(context.service.transactions(one.content.customerId))
        : undefined
    },
    listLagMaxMs: 0,
    pause: async () => director.checkProgress(),
    remainingMs: () => Number.MAX_SAFE_INTEGER,
    checkpoint: () => director.checkDone(),
  }
  const steps = director.steps
  let shown = 0
  const show = async () => {
    for (; shown < steps.length; shown++) await settings.onStep?.(steps[shown] as ReproducedStep, lines.length)
  }
  try {
    let idleRuns = 0
    while (director.next && idleRuns < idleRunsMax) {
      const before = steps.length
      await runOnce(context, director, original, client)
      await show()
      idleRuns = steps.length === before ? idleRuns + 1 : 0
    }
    if (director.next) throw new Diverged(`${director.next.what} did not come about`)
    return {steps, payment: await journal.find(payment.serviceId, payment.key)}
  } catch (error) {
    if (!(error instanceof Diverged)) throw error
    await show()
    return {steps, divergence: error.message, payment: await journal.find(payment.serviceId, payment.key)}
  } finally {
    // Whoever looks at the sandbox afterwards sees everything.
    sandbox.faults.resetBehaviours()
    await journal.close()
  }
}

async function collect(pages: AsyncIterable<LooseTransaction[]>): Promise<LooseTransaction[]> {
  const all: LooseTransaction[] = []
  for await (const page of pages) all.push(...page)
  return all
}

// One process that works on the payment, until it ends or the script says that it did.
async function runOnce(
  context: PaymentContext,
  director: Director,
  {payment}: OriginalPayment,
  client: Client,
): Promise<void> {
  const {serviceId, key, template, slot, note} = payment
  const line = director.next
  if (!line) return
  try {
    if (line.isManual) {
      await decideAgain(context, director, payment, client)
      return
    }
    await payOnce(context, {
      intent: {
        serviceId,
        key,
        content: line.content,
        ...(template && {template}),
        ...(slot && {slot}),
        ...(note && {note}),
      },
      limits: director.limits,
      isGuaranteed: director.findNextAttempt()?.isGuaranteed ?? false,
    })
  } catch (error) {
    // A payment that was refused, stopped or is unknown ends its run with an error of svc.
    if (!(error instanceof RunEnded) && !(error instanceof SvcError)) throw error
  }
}

// What a person decided is decided again.
async function decideAgain(context: PaymentContext, director: Director, original: Payment, client: Client) {
  const line = director.next as ScriptLine
  const known = await context.journal.find(original.serviceId, original.key)
  if (!known) throw new Diverged('a person decided about a payment that did not exist yet')
  if (line.what !== 'ADOPTED') {
    await settleManually(context, known, 'abandon', getWhy(line))
    return
  }
  director.reveal(line)
  await director.makeSure(line)
  const own = await findOwn(client, original, line)
  if (own) await settleManually(context, known, {adopt: own}, getWhy(line))
}

export const isSameEnd = (original: Payment, {steps, divergence, payment}: Reproduction): boolean =>
  divergence === undefined &&
  steps.length > 0 &&
  payment?.state === original.state &&
  payment.ended === original.ended &&
  payment.attempts.length === original.attempts.length &&
  getLastAttempt(payment)?.sends === getLastAttempt(original)?.sends

// Finds a payment of the journal, and opens the sandbox and the journal in which it is made again: in memory, or in new files.
const createNotFoundError = (key: string) =>
  new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: `The journal has no payment ${key}`,
    hint: '`svc journal list` shows what it has',
  })

// The user's journal is only read.
export async function readOriginal(traits: ServiceTraits, key: string): Promise<OriginalPayment> {
  const {serviceId, identity, journal: address} = traits
  if (!isDatabase(address) && !hasJournalFile(address.text)) throw createNotFoundError(key)
  const journal = joinFormerIds(await openJournal(address, {isOnlyRead: true}), serviceId, identity.formerIds)
  try {
    const payment = await journal.find(serviceId, key)
    if (!payment) throw createNotFoundError(key)
    if (!isContentKnown(payment.content)) {
      throw badUsage(
        `The journal does not know what the payment ${key} pays, so it cannot be made again`,
        'Its quote was made elsewhere, and no transaction of it was seen',
      )
    }
    const {history, archives} = await readHistory(journal, payment)
    if (archives.length > 0) {
      throw badUsage(
        `The history of the payment ${key} was moved to the archive ${archives.map(({file}) => file).join(' or ')}, so it cannot be reproduced`,
        'Prove it with `svc journal prove KEY --archive FILE` instead',
      )
    }
    return {payment, history}
  } finally {
    await journal.close()
  }
}

// The journal of a reproduction lies beside its sandbox.
const getJournalFile = (file: string) => `${file}.journal`

interface ReproductionSettings {
  // A new file for the sandbox. Without it, nothing is left.
  file?: string | undefined
  onStep?: ((step: ReproducedStep, total: number) => Promise<void>) | undefined
}

export async function reproduceInSandbox(
  original: OriginalPayment,
  {file, onStep}: ReproductionSettings,
): Promise<Reproduction> {
  if (file !== undefined && (fs.existsSync(file) || fs.existsSync(getJournalFile(file)))) {
    throw badUsage(`${file} exists already`, `Name a new file, or remove it with \`rm ${quoteForShell(file)}\``)
  }
  const [first] = original.history
  const {serverAheadMs = 0} = original.payment.attempts[0] ?? {}
  const sandbox = await createSandbox({
    file: file ?? inMemory,
    seed: 'reproduce',
    // A minute before the payment, so that its customer and accounts exist when it begins.
    frozenAt: new Date((first?.at ?? 0) + Math.min(0, serverAheadMs) - minuteMs),
  })
  try {
    const text = file === undefined ? inMemory : getJournalFile(file)
    return await reproduce(original, {sandbox, onStep, openJournal: (now) => openJournal({text}, {now})})
  } finally {
    sandbox.close()
  }
}
