// The page of a proof: one file that prints well, needs nothing else, and holds the proof itself, so that svc verifies it too. The
// same proof gives the same bytes.
import {type Content, html} from '../../web/html.ts'
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

const style = `
body { font: 15px/1.5 system-ui, sans-serif; color: #1b1f24; max-width: 62rem; margin: 2rem auto; padding: 0 1.5rem }
h1 { font-size: 1.6rem; margin-bottom: .2rem } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; break-after: avoid }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0;
  border-top: 1px solid #d8dee4 } th { font-weight: 600; width: 14rem } thead th { width: auto } tr { break-inside: avoid }
code, pre { font: 13px/1.45 ui-monospace, monospace; overflow-wrap: anywhere; white-space: pre-wrap }
pre { background: #f6f8fa; padding: .6rem; margin: .3rem 0 } .note { color: #59636e }
@media print { body { margin: 0; max-width: none; font-size: 11px } pre { border: 1px solid #d8dee4; background: none } }
@page { margin: 18mm }`

// A page without scripts, frames or anything from elsewhere.
const policy = "default-src 'none'; style-src 'unsafe-inline'"

const formatTime = (ms: number): string => {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString().replace('T', ' ').replace('Z', ' UTC')
}

const toText = (value: unknown): string =>
  cleanText(typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value))

const renderFacts = (facts: ReadonlyArray<readonly [string, Content]>): Content =>
  html`<table>
    <tbody>
      ${facts
        .filter(([, value]) => value !== '' && value !== undefined)
        .map(
          ([name, value]) =>
            html`<tr>
              <th>${name}</th>
              <td>${value}</td>
            </tr>`,
        )}
    </tbody>
  </table>`

// The name comes first, since people know it, and the id stands behind it.
const renderParty = (name: string | undefined, id: string): Content =>
  name ? html`${toText(name)}<br /><span class="note">${id}</span>` : id

function renderMeant({content, template, slot, note}: Payment, parties: ProofParties = {}): Content {
  const {customerId, source, destination, developerFee, ...others} = content
  const fee = developerFee && `${developerFee.developerFeeAmount} (${developerFee.developerFeeType})`
  return renderFacts([
    ['Amount', `${toText(source.sourceAmount)} ${toText(source.sourceCurrency)}`],
    ['Customer', renderParty(parties.customer, toText(customerId))],
    [
      'From account',
      renderParty(parties.from, `${toText(source.sourcePaymentAccountId)} (${toText(source.sourcePaymentMethod)})`),
    ],
    [
      'To account',
      renderParty(
        parties.to,
        `${toText(destination.destinationPaymentAccountId)} (${toText(destination.destinationPaymentMethod)})`,
      ),
    ],
    ['To currency', toText(destination.destinationCurrency)],
    ['Developer fee', toText(fee)],
    ['Note', toText(note)],
    ['Template and slot', [template, slot].filter(Boolean).map(toText).join(', ')],
    ...Object.entries(others).map(([name, value]) => [toText(name), toText(value)] as const),
  ])
}

const renderAttempt = (attempt: Attempt, index: number): Content => html`
  <h2>Attempt ${index + 1}</h2>
  ${renderFacts([
    ['Quote', toText(attempt.quoteId)],
    ['Quote expires', `${formatTime(attempt.quoteExpiresAt)} (the service’s clock)`],
    ['Price', toText(attempt.price)],
    ['Limits of the run', toText(attempt.limits)],
    ['Armed', attempt.armedAt === undefined ? '' : `${formatTime(attempt.armedAt)} (the service’s clock, estimated)`],
    ['Sent', attempt.sends === 0 ? 'never' : attempt.sends === 1 ? 'once' : `${attempt.sends} times`],
    ['Why it ended', toText(attempt.reason)],
  ])}
  ${
    attempt.bytes !== undefined &&
    html`<p>The exact request:</p>
      <pre>
POST /transactions
content-type: application/json
x-idempotency-key: ${toText(attempt.idempotencyKey)}

${toText(attempt.bytes)}</pre>`
  }
`

const renderAnswer = ({method, path, status, date, receivedAt, digest, fields}: Answer): Content => html`
  <p>
    ${toText(method)} ${toText(path)} was answered
    ${toText(status)}${date === undefined ? '' : `, ${toText(date)} by the service’s clock`}, received
    ${toText(receivedAt)} by ours.
  </p>
  ${fields && html`<pre>${toText(JSON.stringify(fields, null, 2))}</pre>`}
  <p class="note">SHA-256 of the reply: <code>${toText(digest)}</code></p>
`

const renderList = ({
  startedAt,
  endedAt,
  date,
  pages,
  transactions,
  isComplete,
  digest,
  matches,
}: ListWitness): Content => html`
  <p>
    The service’s list was read from ${toText(startedAt)} to
    ${toText(endedAt)}${date === undefined ? '' : ` (${toText(date)} by the service’s clock)`}: ${toText(transactions)}
    transactions on ${toText(pages)} pages, ${isComplete ? 'to its end' : 'but not to its end'}. Of this payment it had
    ${matches.length === 0 ? 'none' : matches.map(toText).join(', ')}.
  </p>
  <p class="note">SHA-256 of the ids in it: <code>${toText(digest)}</code></p>
`

function readEvidence({evidence}: ShownEntry): Evidence {
  try {
    return (JSON.parse(evidence ?? '{}') ?? {}) as Evidence
  } catch {
    return {}
  }
}

const renderDetail = (entry: ShownEntry): Content =>
  Object.entries(readDetail(entry))
    .filter(([name]) => name !== 'data' && name !== 'id')
    .map(([name, value]) => html`<div>${toText(name)}: ${toText(value)}</div>`)

function renderEntry(entry: ShownEntry): Content {
  const {answers = [], lists = []} = readEvidence(entry)
  return html`<tr>
    <td>${entry.number}</td>
    <td>${formatTime(entry.at)}</td>
    <td>${toText(entry.what)}</td>
    <td>${renderDetail(entry)} ${answers.map(renderAnswer)} ${lists.map(renderList)}</td>
  </tr>`
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

export function renderProofPage(proof: Proof): string {
  const {text, createdAt, updatedAt, key} = proof.payment
  const payment = readPaymentText(text, createdAt, updatedAt)
  const entries = proof.chains.flatMap(({links}) =>
    links.filter((link): link is ShownEntry => typeof link !== 'string'),
  )
  const {user, host} = proof.written.by
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Payment ${toText(key)}</title>
        <style>
          ${style}
        </style>
      </head>
      <body>
        <h1>Payment ${toText(key)}</h1>
        <p class="note">
          Written ${toText(proof.written.at)} by ${toText(user)} on ${toText(host)} with svc
          ${toText(proof.written.svc)}. This page can be forged like any other:
          <code>svc journal verify FILE</code> checks it, on any machine, with nothing else.
        </p>
        <h2>What became of it</h2>
        ${renderFacts([
          ['State', toText(payment.state)],
          ['Transaction', toText(payment.transactionId)],
          ['Made', payment.madeAt === undefined ? '' : `${formatTime(payment.madeAt)} (the service’s clock)`],
          ['Ended', toText(payment.ended)],
          ['Recorded', `${formatTime(createdAt)} (our clock)`],
          ['Last changed', `${formatTime(updatedAt)} (our clock)`],
          ['Service', toText(payment.serviceId)],
        ])}
        <h2>What was meant</h2>
        ${renderMeant(payment, proof.written.parties)}
        ${
          proof.written.parties &&
          html`<p class="note">
            The names are those that the service gave when this was written. Neither the journal nor its signatures
            cover them.
          </p>`
        }
        <h2>Who approved it</h2>
        ${renderApprovals(readApprovals(payment, entries))} ${payment.attempts.map(renderAttempt)}
        <h2>What happened</h2>
        <table>
          <thead>
            <tr>
              <th>Entry</th>
              <th>Our clock</th>
              <th>What</th>
              <th>Details, answers and lists</th>
            </tr>
          </thead>
          <tbody>
            ${entries.map(renderEntry)}
          </tbody>
        </table>
        <h2>Chain and signature</h2>
        ${renderChain(proof)}
      </body>
    </html> `
  return seal(`${page.toString()}${opening}${escapeJson(formatProof(proof))}${closing}`)
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
