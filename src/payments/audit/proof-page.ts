// The page of a proof: one file that prints well, needs nothing else, and holds the proof itself, so that svc verifies it too. The
// same proof gives the same bytes.
import {roundAmount} from '../../values/currencies.ts'
import {lookUp} from '../../values/records.ts'
import {countNoun} from '../../values/text.ts'
import {formatAmount} from '../../web/format.ts'
import {type Content, html} from '../../web/html.ts'
import {renderPageFile} from '../../web/page.ts'
import {renderCard, renderFacts, renderFigure, renderTable} from '../../web/parts.ts'
import {type StepWords, describeFees, describeRate, describeStep, findStateSentence} from '../../web/payment-words.ts'
import {digestText} from '../journal/chain.ts'
import {readPaymentText} from '../journal/journal.ts'
import type {Answer, Evidence, ListWitness} from '../protocol/witness.ts'
import type {Attempt, Payment} from '../protocol/payment.ts'
import {
  type Proof,
  type ProofParties,
  type ShownEntry,
  digestHead,
  formatProof,
  parseHead,
  readDetail,
} from './proof.ts'
import {type ProofApprovals, type SignedStatement, readApprovals} from './proof-approvals.ts'

const formatTime = (ms: number): string => {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString().replace('T', ' ').replace('Z', ' UTC')
}

const toText = (value: unknown): string =>
  cleanText(typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value))

// The name comes first, since people know it, and the id stands behind it.
const renderParty = (name: string | undefined, id: string): Content =>
  name ? html`${toText(name)}<br /><span class="note">${id}</span>` : id

const renderMoney = (amount: string, currency: string): string =>
  amount === '' ? '' : `${formatAmount(toText(amount))} ${toText(currency)}`

// The fees that were agreed, with their share of what is sent.
function describePrice({content: {source, destination}, attempts}: Payment): {fees: string; rate: string} {
  const {price} = attempts.at(-1) ?? {}
  const [from, to] = [toText(source.sourceCurrency), toText(destination.destinationCurrency)]
  if (!price) return {fees: '', rate: ''}
  const {svcFee, developerFee, feeCurrency} = price
  return {
    fees: describeFees({fees: [svcFee, developerFee], feeCurrency, amount: source.sourceAmount, currency: from}),
    rate: describeRate(toText(price.rate), from, to),
  }
}

function renderMeant(payment: Payment, parties: ProofParties = {}): Content {
  const {content, template, slot, note} = payment
  const {customerId, source, destination, developerFee, ...others} = content
  const {received = ''} = payment.attempts.at(-1)?.price ?? {}
  const {fees, rate} = describePrice(payment)
  const fee = developerFee && `${developerFee.developerFeeAmount} (${developerFee.developerFeeType})`
  return renderFacts([
    ['Amount', renderMoney(source.sourceAmount, source.sourceCurrency)],
    ['Fees in it', fees],
    ['Rate', rate],
    [
      'To arrive',
      received && renderMoney(roundAmount(received, destination.destinationCurrency), destination.destinationCurrency),
    ],
    [
      'To',
      renderParty(
        parties.to,
        `${toText(destination.destinationPaymentAccountId)} (${toText(destination.destinationPaymentMethod)})`,
      ),
    ],
    [
      'From',
      renderParty(parties.from, `${toText(source.sourcePaymentAccountId)} (${toText(source.sourcePaymentMethod)})`),
    ],
    ['Customer', renderParty(parties.customer, toText(customerId))],
    ['Note', toText(note)],
    ['Our own fee', toText(fee)],
    ['Template and slot', [template, slot].filter(Boolean).map(toText).join(', ')],
    ...Object.entries(others).map(([name, value]) => [toText(name), toText(value)] as const),
  ])
}

const listFields = (fields: object = {}): string =>
  Object.entries(fields)
    .map(([name, value]) => `${toText(name)} ${toText(value)}`)
    .join(', ')

const renderAttempt = (attempt: Attempt, index: number): Content =>
  renderCard(
    `Attempt ${index + 1}`,
    html`${renderFacts([
      ['Sent', attempt.sends === 0 ? 'never' : attempt.sends === 1 ? 'once' : `${attempt.sends} times`],
      ['Why it ended', toText(attempt.reason)],
      [
        'Recorded before',
        attempt.armedAt === undefined ? '' : `${formatTime(attempt.armedAt)} (the service’s clock, estimated)`,
      ],
      ['Quote', toText(attempt.quoteId)],
      ['Quote expires', `${formatTime(attempt.quoteExpiresAt)} (the service’s clock)`],
      ['Price, exactly', listFields(attempt.price)],
      ['Limits of the run', listFields(attempt.limits)],
    ])}
    ${
      attempt.bytes !== undefined &&
      html`<p>The exact request:</p>
        <pre>
POST /transactions
content-type: application/json
x-idempotency-key: ${toText(attempt.idempotencyKey)}

${toText(attempt.bytes)}</pre>`
    }`,
    {isLong: true},
  )

const requestWords: Readonly<Record<string, string>> = {
  'POST /quotes': 'The service was asked for a price',
  'POST /transactions': 'The service was asked to pay',
  'GET /transactions': 'The service was asked for its transactions',
}

const describeReply = (status: number): string =>
  status < 300 ? 'and agreed' : status < 500 ? 'and refused' : 'and had a fault of its own'

const describeAnswer = ({method, path, status, date, receivedAt}: Answer): string => {
  const request = `${toText(method)} ${toText(path).replace(/\?.*$/s, '')}`
  const words = lookUp(requestWords, request) ?? `The service was asked for something else (${request})`
  const clock = date === undefined ? '' : `, ${toText(date)} by the service’s clock`
  return `${words}, ${describeReply(status)} (${toText(status)})${clock}; received ${toText(receivedAt)} by ours.`
}

const describeList = ({startedAt, endedAt, date, pages, transactions, isComplete, matches}: ListWitness): string => {
  const clock = date === undefined ? '' : ` (${toText(date)} by the service’s clock)`
  const found = matches.length === 0 ? 'none' : matches.map(toText).join(', ')
  return `The service’s list was read from ${toText(startedAt)} to ${toText(endedAt)}${clock}: ${countNoun(transactions, 'transaction')} on ${countNoun(pages, 'page')}, ${isComplete ? 'to its end' : 'but not to its end'}. Of this payment it had ${found}.`
}

function readEvidence({evidence}: ShownEntry): Evidence {
  try {
    return (JSON.parse(evidence ?? '{}') ?? {}) as Evidence
  } catch {
    return {}
  }
}

// What the chain covers of an entry, to the byte.
const renderExact = ({what, detail, evidence, payment}: ShownEntry): Content =>
  html`<details class="exact">
    <summary>The exact entry</summary>
    <pre>
${[what, detail, evidence, payment && `SHA-256 of the payment: ${payment}`].filter(Boolean).map(toText).join('\n')}</pre>
  </details>`

const renderEntry = (entry: ShownEntry, words: StepWords): Content => {
  const {answers = [], lists = []} = readEvidence(entry)
  const sentences = [...words.sentences, ...answers.map(describeAnswer), ...lists.map(describeList)]
  return [sentences.map((sentence) => html`<div>${toText(sentence)}</div>`), renderExact(entry)]
}

const renderStatement = ({text, signature, fingerprint}: SignedStatement): Content =>
  html`<pre>${toText(text)}${toText(signature)}</pre>
    <p class="note">Key <code>${toText(fingerprint)}</code></p>`

// Only what was approved as it was paid is called an approval.
const renderApprovals = ({approvals, others, withdrawals}: ProofApprovals): Content => html`
  ${approvals.length === 0 && html`<p>No approval in this proof is for this payment.</p>`}
  ${approvals.map(
    (approval) =>
      html`<p>
          <strong>${toText(approval.signer)}</strong> approved
          ${toText(approval.covers)}${
            approval.withdrawnAt === undefined
              ? ''
              : `, and withdrew it ${formatTime(approval.withdrawnAt)}, after it was used`
          }:
        </p>
        ${renderStatement(approval)}`,
  )}
  ${others.map(
    (other) =>
      html`<p>
          Recorded, but not an approval of this payment, since ${toText(other.reason)} (${toText(other.signer)}):
        </p>
        ${renderStatement(other)}`,
  )}
  ${withdrawals.map(
    (withdrawal) =>
      html`<p>Withdrawn by <strong>${toText(withdrawal.signer)}</strong>:</p>
        ${renderStatement(withdrawal)}`,
  )}
`

function renderChain({chains, head}: Proof): Content {
  const parsed = parseHead(head.text)
  return html`${renderFacts([
      ['Head read', toText(parsed?.at)],
      ['SHA-256 of the head', digestHead(head.text)],
      ...chains.map(
        ({chain, first, links}) =>
          [`Chain ${chain}`, `entries ${first} to ${first + links.length - 1} lead to the head`] as const,
      ),
      ['Signature', head.signature === null ? 'The head was not signed.' : 'Below; `svc journal verify` checks it.'],
    ])}
    <pre>${toText(head.text)}${toText(head.signature)}</pre>`
}

const opening = '<script type="application/json" id="proof">\n'
const closing = '</script>\n</body>\n</html>\n'

// Without a <, the JSON cannot end the script element that it is in.
const escapeJson = (text: string) => text.replaceAll('<', String.raw`\u003c`)

const seal = (text: string) => `${text}<!-- SHA-256 of all above: ${digestText(text)} -->\n`

// What became of the payment, in words and at a glance.
function renderOutcome(payment: Payment, parties: ProofParties = {}): Content {
  const {content, state, madeAt, ended, note} = payment
  const payee = parties.to ?? content.destination.destinationPaymentAccountId
  return renderFigure(
    toText(note ?? 'Payment'),
    renderMoney(content.source.sourceAmount, content.source.sourceCurrency),
    [
      `To ${toText(payee)}.`,
      findStateSentence(state),
      madeAt !== undefined && `The service made it at ${formatTime(madeAt)}.`,
      ended !== undefined && `It ended as ${toText(ended)}, so the money did not arrive.`,
    ],
  )
}

const glossary: ReadonlyArray<readonly [string, string]> = [
  [
    'Journal',
    'The record that svc keeps of every payment, before and after it is sent. Entries are added and never changed.',
  ],
  ['Head', 'A short number that follows from all entries of the journal. Whoever changes one entry changes it.'],
  ['SHA-256', 'The rule by which such numbers are computed. Anybody can compute them again.'],
  ['Signature', 'Shows that the holder of a key saw the head, so that nothing before it was written later.'],
  ['Quote', 'The price that the service offered, for a short time.'],
]

function renderState(payment: Payment): Content {
  return renderFacts([
    ['State', toText(payment.state)],
    ['Transaction', toText(payment.transactionId)],
    ['Made', payment.madeAt === undefined ? '' : `${formatTime(payment.madeAt)} (the service’s clock)`],
    ['Ended', toText(payment.ended)],
    ['Recorded', `${formatTime(payment.createdAt)} (our clock)`],
    ['Last changed', `${formatTime(payment.updatedAt)} (our clock)`],
    ['Service', toText(payment.serviceId)],
  ])
}

function renderBody(proof: Proof, payment: Payment): Content {
  const {written} = proof
  const entries = proof.chains.flatMap(({links}) =>
    links.filter((link): link is ShownEntry => typeof link !== 'string'),
  )
  const {source, destination} = payment.content
  const currencies = {from: toText(source.sourceCurrency), to: toText(destination.destinationCurrency)}
  const describeEntry = (entry: ShownEntry) =>
    describeStep({what: toText(entry.what), detail: readDetail(entry)}, currencies)
  const unproven =
    written.parties &&
    'The names are those that the service gave when this was written. Neither the journal nor its signatures cover them.'
  return html`<header>
      <h1>Payment ${toText(proof.payment.key)}</h1>
      <p class="note">
        Written ${toText(written.at)} by ${toText(written.by.user)} on ${toText(written.by.host)} with svc
        ${toText(written.svc)}. This page can be forged like any other: <code>svc journal verify FILE</code> checks it,
        on any machine, with nothing else.
      </p>
    </header>
    ${renderOutcome(payment, written.parties)}
    ${renderCard('What was meant', renderMeant(payment, written.parties), {note: unproven})}
    ${renderCard('Who approved it', renderApprovals(readApprovals(payment, entries)), {isLong: true})}
    ${renderCard('What became of it', renderState(payment))} ${payment.attempts.map(renderAttempt)}
    ${renderCard(
      'What happened',
      renderTable({
        id: 'entries',
        caption: 'The entries of the journal',
        columns: [
          {header: 'Entry', render: ({number}) => number},
          {header: 'Our clock', render: ({at}) => formatTime(at), isShort: true},
          {header: 'What', render: (entry) => describeEntry(entry).title},
          {header: 'In words', render: (entry) => renderEntry(entry, describeEntry(entry)), isLong: true},
        ],
        items: entries,
        empty: 'None.',
      }),
      {isLong: true},
    )}
    ${renderCard('Chain and signature', renderChain(proof), {isLong: true})}
    ${renderCard('What the words mean', renderFacts(glossary))}`
}

export function renderProofPage(proof: Proof): string {
  const {text, createdAt, updatedAt, key} = proof.payment
  const payment = readPaymentText(text, createdAt, updatedAt)
  const page = renderPageFile(`Payment ${toText(key)}`, renderBody(proof, payment))
  return seal(`${page}${opening}${escapeJson(formatProof(proof))}${closing}`)
}

// The proof in a page, as formatProof writes it. Undefined if it is no page of a proof.
export function readProofPage(text: string): string | undefined {
  const start = text.lastIndexOf(opening)
  const end = text.lastIndexOf(closing)
  if (start < 0 || end < start) return undefined
  try {
    return `${JSON.stringify(JSON.parse(text.slice(start + opening.length, end)), null, 2)}\n`
  } catch {
    return undefined
  }
}

// Text of a service or a person for a page: characters that control, hide or reorder what is read are shown by their code.
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu

const toCode = (character: string) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`

const cleanText = (text: string): string =>
  text.replaceAll(unsafe, (character) => (character === '\n' ? character : toCode(character)))
