// The page of one customer: why it has not been paid, its rounds of verification, its accounts, payments and rules.
import {isMadeUpEvent} from '../../../values/event-ids.ts'
import {address, businessInfo, kybData, kycData} from '../../../contract/customers.ts'
import {issueCodes} from '../../../contract/issue-codes.ts'
import {findLabels} from '../../../contract/labels.ts'
import {readCode} from '../../../contract/loose.ts'
import {lookUp, readText} from '../../../values/records.ts'
import {capitalize, endSentence, lowerFirst, quoteForShell} from '../../../values/text.ts'
import {type Content, html} from '../../html.ts'
import {
  type Tone,
  getTone,
  renderCode,
  renderStatus,
  renderTime,
  spellDuration,
  toText,
  toTime,
  toWords,
} from '../../format.ts'
import {
  type Moment,
  renderCard,
  renderFacts,
  renderItemLink,
  renderLead,
  renderOutcome,
  renderTable,
  renderTimeline,
} from '../../parts.ts'
import {findStateSentence} from '../../payment-words.ts'
import {type ConsoleContext, type ConsolePage, paths, tryRead} from '../context.ts'
import type {
  ConsoleAccount,
  ConsoleEvent,
  JournalPayment,
  LooseCustomer,
  LooseIssues,
  LooseTransaction,
  StatusChange,
} from '../source.ts'
import {createAccountColumns, getAccountName} from './accounts.ts'
import {describeIssue} from './customers.ts'
import {renderPaymentLink} from './journal.ts'
import {renderItem} from './list-page.ts'
import {createRuleColumns} from './rules.ts'
import {formatDestination, formatSource, hasEndedBadly, isFinal, renderRelatedTransactions} from './transactions.ts'

// Few enough to see at a glance; the list of the noun has the rest.
const relatedMax = 10
const eventsMax = 30

const listReasons = (issues: LooseIssues): Content =>
  Array.isArray(issues) &&
  issues.length > 0 &&
  html`<ul>
    ${issues.map(
      (issue) =>
        html`<li>${describeIssue(issue)} <code title="The code of the service">${toText(issue?.code)}</code></li>`,
    )}
  </ul>`

// In one sentence, so what the codes mean, without what to do about each. Some codes mean what their message says.
function summarizeIssue(issue: Parameters<typeof describeIssue>[0]): string {
  const {meaning = ''} = issueCodes.find(({code}) => code === issue?.code) ?? {}
  const text = meaning === '' || meaning.includes('the message says') ? describeIssue(issue) : meaning
  return lowerFirst(text.replace(/\.$/, ''))
}

const joinReasons = (issues: LooseIssues): string =>
  (Array.isArray(issues) ? issues : []).map(summarizeIssue).join('; ')

// Whether only the support of the service can resolve all of them.
const isForSupport = (issues: LooseIssues): boolean =>
  Array.isArray(issues) &&
  issues.length > 0 &&
  issues.every((issue) => issueCodes.some(({code, resolver}) => code === issue?.code && resolver === 'SUPPORT'))

// What a person or a business is asked, by the names of the fields.
const fieldLabels = {...findLabels(kybData), ...findLabels(kycData)}
const partLabels = {...findLabels(address), ...findLabels(businessInfo)}

function describeField(path: string): string {
  const [field = '', part] = path.split('.')
  const label = lookUp(fieldLabels, field)?.label ?? toText(field)
  return part === undefined ? label : `${label} (${lowerFirst(lookUp(partLabels, part)?.label ?? toText(part))})`
}

const describeChanged = ({changed = []}: StatusChange): string =>
  changed.length > 0 ? `Changed: ${changed.map(describeField).join(', ')}.` : ''

const changeWords: Readonly<Record<string, string>> = {
  NEEDS_ADDITIONAL_INFORMATION: 'Refused, to be corrected',
  ACTIVE: 'Accepted',
  REJECTED: 'Rejected for good',
  DEACTIVATED: 'Deactivated',
}

function describeSubmission({from, isMadeUp}: StatusChange): string {
  if (isMadeUp) return 'a review without data'
  const before = readCode(from)
  return before === 'NEEDS_ADDITIONAL_INFORMATION'
    ? 'data corrected'
    : before === ''
      ? 'data submitted or corrected'
      : 'data submitted'
}

// Each submission begins a round. Rounds have numbers only where all of them are known.
function listRounds(changes: readonly StatusChange[], hasAll: boolean): Moment[] {
  let round = 0
  return changes.map((change) => {
    const {at, to, issues, isMadeUp} = change
    const isSubmission = readCode(to) === 'UNDER_REVIEW'
    if (isSubmission) round++
    const submission = describeSubmission(change)
    const words = isSubmission
      ? hasAll
        ? `Round ${round}: ${submission}`
        : capitalize(submission)
      : lookUp(changeWords, readCode(to))
    return {
      at,
      what: html`${words && `${words} `}${renderStatus(to)}`,
      detail: [describeChanged(change), listReasons(issues)],
      tone: getTone(to),
      isMadeUp,
    }
  })
}

// Events report a status and not the one before, which is that of the event before.
const toChanges = (events: readonly ConsoleEvent[]): StatusChange[] =>
  events.map(({at, customerStatus = '', issues}, index) => ({
    at,
    from: events[index - 1]?.customerStatus ?? '',
    to: customerStatus,
    issues,
  }))

const toTimeOrFirst = ({at}: Moment) => toTime(at) ?? Number.NEGATIVE_INFINITY

// Changes that the sandbox recorded, otherwise those that events reported, otherwise only the last one.
function listMoments(
  customer: LooseCustomer,
  changes: readonly StatusChange[],
  events: readonly ConsoleEvent[],
): Moment[] {
  const {customerStatus: status, updatedAt} = customer
  const reports = events.filter(({customerStatus}) => customerStatus !== undefined).toReversed()
  const genuine = reports.filter(({eventId}) => !isMadeUpEvent(eventId))
  const inventions: Moment[] = reports
    .filter(({eventId}) => isMadeUpEvent(eventId))
    .map(({at, customerStatus}) => ({
      at,
      what: html`Made up: ${renderStatus(customerStatus, 'quiet')}`,
      detail: 'Sent with svc events trigger; the customer did not change',
      tone: 'quiet',
    }))
  const registered: Moment = {at: undefined, what: 'Registered', detail: 'When is not known.'}
  const told =
    changes.length > 0
      ? [registered, ...listRounds(changes, true)]
      : genuine.length > 0
        ? listRounds(toChanges(genuine), false).map((moment, index) => ({
            ...moment,
            detail: [moment.detail, html`Reported by ${toText(genuine[index]?.type)}`],
          }))
        : [
            {
              at: updatedAt,
              what: renderStatus(status),
              detail: ['What was before is not known.', listReasons(customer.verificationIssues)],
              tone: getTone(status),
            },
          ]
  return [...told, ...inventions].toSorted((one, other) => toTimeOrFirst(one) - toTimeOrFirst(other))
}

async function renderRounds(context: ConsoleContext, customer: LooseCustomer, id: string): Promise<Content> {
  const {source} = context
  const read = await tryRead(context, async () => {
    const changes = (await source.listStatusChanges?.(id)) ?? []
    const events = changes.length === 0 ? ((await source.events?.listEvents(eventsMax, id)) ?? []) : []
    return listMoments(customer, changes, events)
  })
  const note = source.listStatusChanges
    ? undefined
    : 'The service tells the last change of status only; events that were received fill in the rest. What a correction changed is not known.'
  return renderCard(
    'Verification',
    renderOutcome(read, (moments) => renderTimeline('customer-timeline', moments, 'Nothing has happened yet.')),
    {note},
  )
}

// Why the customer has not been paid, or that it was, in one sentence; and what to do about it.
interface Answer {
  tone: Tone
  sentence: Content
  next?: Content
}

const describeDate = (at: unknown): Content => toText(at) !== '' && html` on ${renderTime(at)} UTC`

function describeAge({now}: ConsoleContext, since: unknown): Content {
  const ms = toTime(since)
  return ms !== undefined && html` for ${spellDuration(Math.max(0, now - ms))}, since ${renderTime(since)} UTC`
}

// The form of a real customer is opened with svc, so that nobody fills it in by mistake.
function describeForm({source}: ConsoleContext, {customerId, verificationLink}: LooseCustomer, verb: string): Content {
  const id = quoteForShell(toText(customerId))
  const form =
    !source.isReadOnly && typeof verificationLink === 'string'
      ? html`<a href="${verificationLink}">the hosted form</a>`
      : html`the form that ${renderCode(`svc open ${id}`)} opens`
  return html`${form}, or ${renderCode(`svc customers ${verb} ${id}`)}.`
}

function answerByStatus(context: ConsoleContext, customer: LooseCustomer): Answer | undefined {
  const {customerStatus: status, updatedAt, verificationIssues: issues, customerId} = customer
  const id = quoteForShell(toText(customerId))
  const reasons = joinReasons(issues)
  const because = reasons === '' ? '. The service does not say why.' : `: ${endSentence(reasons)}`
  switch (readCode(status)) {
    case 'ACTIVE':
      return undefined
    case 'CREATED':
      return {
        tone: 'open',
        sentence: 'This customer cannot be paid: nobody has sent the data for the verification.',
        next: describeForm(context, customer, 'update'),
      }
    case 'UNDER_REVIEW':
      return {
        tone: 'quiet',
        sentence: html`This customer cannot be paid yet: the service has been checking the
        data${describeAge(context, updatedAt)}.`,
        next: html`${renderCode(`svc customers watch ${id}`)} waits for the outcome. It takes minutes, or one to three
        working days if a person looks at it.`,
      }
    case 'NEEDS_ADDITIONAL_INFORMATION':
      return {
        tone: 'open',
        sentence: html`This customer cannot be paid: the service refused the data${describeDate(updatedAt)}${because}`,
        next: isForSupport(issues)
          ? html`only the support of the service can resolve it; ${renderCode(`svc customers fix ${id}`)} shows what to
            tell them.`
          : describeForm(context, customer, 'fix'),
      }
    case 'REJECTED':
      return {
        tone: 'bad',
        sentence: html`This customer cannot be paid: the service rejected the
        verification${describeDate(updatedAt)}${because}`,
        next: 'the service takes no more data; its support can say more.',
      }
    case 'DEACTIVATED':
      return {
        tone: 'bad',
        sentence: html`This customer cannot be paid: the service deactivated the customer${describeDate(updatedAt)}, and
        does not say why.`,
        next: 'ask the support of the service.',
      }
    default:
      return {
        tone: 'open',
        sentence: `Whether this customer can be paid is not known: svc does not know the status ${toText(status) || '(none)'}.`,
        next: 'ask the service what it means.',
      }
  }
}

const isUsable = ({paymentAccountStatus}: ConsoleAccount) => readCode(paymentAccountStatus) === 'ACTIVE'

// The interface cannot add an account. The sandbox adds one when its form is opened.
function describeNextAccount({source}: ConsoleContext, pending: ConsoleAccount | undefined, id: string): Content {
  const command = renderCode(`svc open ${quoteForShell(id)} --bank-account`)
  const link = source.isReadOnly ? '' : readText(pending?.bankAccountFormLink)
  if (link) return html`<a href="${link}">fill in the form of the account</a>.`
  return pending || !source.isReadOnly
    ? html`${command} opens the form of the account.`
    : 'the service has to add one: its interface has no way to do so.'
}

function answerByAccounts(
  context: ConsoleContext,
  accounts: readonly ConsoleAccount[],
  id: string,
): Answer | undefined {
  if (accounts.some(isUsable)) return undefined
  const pending = accounts.find(({bankAccountFormLink: link}) => typeof link === 'string')
  return {
    tone: 'open',
    sentence: pending
      ? `This customer is verified, but cannot be paid: the form of the account ${getAccountName(pending)} has not been filled in.`
      : 'This customer is verified, but cannot be paid: there is no account that money could go to.',
    next: describeNextAccount(context, pending, id),
  }
}

const belongsTo = (id: string) => (payment: JournalPayment) =>
  readText(payment.customerId).toLowerCase() === id.toLowerCase()

// The newest payment of the journal that was not made, if nothing was made since.
function answerByJournal(
  context: ConsoleContext,
  payments: readonly JournalPayment[],
  newest: LooseTransaction | undefined,
): Answer | undefined {
  const isUnsettled = ({state}: JournalPayment) => state === 'UNKNOWN' || state === 'ARMED'
  const unsettled = payments.find(isUnsettled)
  const last = payments[0]
  const isSince = (toTime(last?.updatedAt) ?? 0) > (toTime(newest?.createdAt) ?? 0)
  const payment = unsettled ?? (last && last.state !== 'CREATED' && isSince ? last : undefined)
  if (!payment) return undefined
  const reason = toText(payment.reason)
  return {
    tone: unsettled ? 'bad' : 'open',
    sentence: html`The last payment, ${renderPaymentLink(context, payment)}, is not made:
    ${lowerFirst(findStateSentence(payment.state) ?? `it is ${toText(payment.state)}.`)}
    ${reason && endSentence(`The reason: ${reason}`)}`,
    next: unsettled
      ? html`${renderCode(`svc journal settle ${quoteForShell(toText(payment.key))}`)} finds out whether it was made.`
      : html`<code>svc pay</code> with the same key tries again.`,
  }
}

function answerByTransaction(context: ConsoleContext, newest: LooseTransaction | undefined): Answer {
  if (!newest) return {tone: 'quiet', sentence: 'This customer is verified and can be paid. There is no payment yet.'}
  const {transactionStatus: status, createdAt, updatedAt, transactionId, customerId} = newest
  const renderLink = (text: string) =>
    renderItemLink(context, {path: paths.transaction, id: transactionId, customerId, text})
  const which = html`${renderLink(formatSource(newest))}${describeDate(createdAt)}`
  if (hasEndedBadly(newest)) {
    return {
      tone: 'bad',
      sentence: html`This customer can be paid, but the last payment did not arrive: ${which} ended as
      ${toWords(status).toLowerCase()}.`,
      next: 'the page of that payment says what is known of why, and how to pay again.',
    }
  }
  if (isFinal(status)) {
    return {
      tone: 'good',
      sentence: html`This customer was paid last${describeDate(updatedAt)}: ${renderLink(formatDestination(newest))}
      arrived.`,
    }
  }
  const isWaiting = readCode(status) === 'AWAITING_TRANSFER'
  return {
    tone: isWaiting ? 'open' : 'quiet',
    sentence: html`The last payment is under way: ${which}
    ${isWaiting ? 'waits for money from outside' : `is ${toWords(status).toLowerCase()}`}${describeAge(context, updatedAt)}.`,
    next: isWaiting && 'the page of that payment says where to send the money.',
  }
}

// What could not be read is not guessed at: the rest of the page says why.
async function renderAnswer(context: ConsoleContext, customer: LooseCustomer, id: string): Promise<Content> {
  const {source} = context
  const byStatus = answerByStatus(context, customer)
  if (byStatus) return renderLead(byStatus.tone, byStatus.sentence, byStatus.next)
  const read = await tryRead(context, async () => {
    const [accounts, transactions, payments = []] = await Promise.all([
      source.listAccounts(id),
      source.listTransactions({customerId: id, pageSize: relatedMax}),
      source.journal?.listPayments(source.readMax),
    ])
    const [newest] = transactions.items
    return (
      answerByJournal(context, payments.filter(belongsTo(id)), newest) ??
      answerByAccounts(context, accounts.items, id) ??
      answerByTransaction(context, newest)
    )
  })
  if (read.failure !== undefined) return renderLead('open', 'It is verified. Whether it was paid could not be read.')
  return renderLead(read.value.tone, read.value.sentence, read.value.next)
}

async function renderRelated(context: ConsoleContext, id: string): Promise<Content> {
  const {source, link} = context
  const [accounts, transactions, rules] = await Promise.all([
    tryRead(context, () => source.listAccounts(id)),
    renderRelatedTransactions(context, {
      title: 'Last payments',
      id: 'customer-transactions',
      query: {customerId: id},
      countMax: relatedMax,
      empty: 'This customer has no transactions.',
      more: html`<p><a href="${link(paths.transactions, {customer: id})}">All transactions of this customer</a></p>`,
    }),
    tryRead(context, () => source.listRules(id)),
  ])
  const accountTable = renderOutcome(accounts, ({items}) =>
    renderTable({
      id: 'customer-accounts',
      caption: 'Accounts',
      columns: createAccountColumns(context, items),
      items,
      empty: 'This customer has no accounts.',
    }),
  )
  const ruleTable = renderOutcome(rules, (items) =>
    renderTable({
      id: 'customer-rules',
      caption: 'Rules',
      columns: createRuleColumns(context),
      items: items.slice(0, relatedMax),
      empty: 'This customer has no rules.',
    }),
  )
  return [transactions, renderCard('Accounts', accountTable), renderCard('Rules', ruleTable)]
}

const renderDetails = (customer: LooseCustomer) =>
  renderFacts([
    ['Email', toText(customer.email)],
    ['Type', toWords(customer.customerType)],
    ['Last change', renderTime(customer.updatedAt)],
    [
      'Payment methods',
      Array.isArray(customer.availablePaymentMethods) && customer.availablePaymentMethods.map(toText).join(', '),
    ],
    ['ID', renderCode(toText(customer.customerId))],
    ['Organization', renderCode(toText(customer.organizationId))],
  ])

export async function renderCustomer(context: ConsoleContext): Promise<ConsolePage> {
  const id = context.query['id'] ?? ''
  return renderItem(context, {
    find: () => context.source.findCustomer(id),
    missing: html`There is no customer ${renderCode(toText(id))}.`,
    render: async (customer) => {
      const ownId = readText(customer.customerId) || id
      const [answer, rounds, related] = await Promise.all([
        renderAnswer(context, customer, ownId),
        renderRounds(context, customer, ownId),
        renderRelated(context, ownId),
      ])
      return {
        title: toText(customer.name) || 'Customer without a name',
        beside: renderStatus(customer.customerStatus),
        body: [
          answer,
          html`<div class="columns" id="customer" data-live>
            ${rounds} ${renderCard('Details', renderDetails(customer))}
          </div>`,
          related,
          context.renderActions?.('customer'),
        ],
      }
    },
  })
}
