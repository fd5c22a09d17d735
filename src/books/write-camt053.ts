// Writes the books as a statement of ISO 20022, camt.053.001.08: one for each payment account and currency, with an entry for each
// completed payment that left or reached it. The message has only currencies of ISO 4217, so tokens cannot be part of it.
import {hash} from 'node:crypto'
import {Big} from 'big.js'
import {code as isoCurrency} from 'currency-codes'
import type {PartyNames} from '../accounts/account-names.ts'
import {cleanText} from '../cli/output/clean.ts'
import {SvcError} from '../errors.ts'
import type {AccountCurrency, Books} from './books.ts'
import {type CompletedPayment, type Leg, formatFigure, toDay} from './figures.ts'

const textMax = {id: 35, name: 70, remittance: 140}
const namespace = 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08'

interface Entry {
  payment: CompletedPayment
  amount: Big
  isDebit: boolean
}

const belongsTo = ({accountId, currency}: Leg, account: AccountCurrency) =>
  accountId === account.accountId && currency === account.currency

function* listEntries(books: Books, account: AccountCurrency): Generator<Entry> {
  for (const payment of books.walkAccount(account)) {
    for (const [leg, isDebit] of [
      [payment.source, true],
      [payment.destination, false],
    ] as const) {
      const amount = new Big(leg.amount)
      if (belongsTo(leg, account) && isStatable(amount, leg.currency)) yield {payment, amount, isDebit}
    }
  }
}

interface Totals {
  debits: {count: number; sum: Big}
  credits: {count: number; sum: Big}
}

function addUp(books: Books, account: AccountCurrency): Totals {
  const totals: Totals = {debits: {count: 0, sum: new Big('0')}, credits: {count: 0, sum: new Big('0')}}
  for (const {amount, isDebit} of listEntries(books, account)) {
    const side = isDebit ? totals.debits : totals.credits
    side.count++
    side.sum = side.sum.plus(amount)
  }
  return totals
}

// What cannot be written, by currency, for a notice.
export function describeForeignCurrencies(books: Books): string | undefined {
  const counts = new Map<string, number>()
  for (const {source, destination} of books.walkCompleted()) {
    for (const {amount, currency} of [source, destination]) {
      if (!isStatable(new Big(amount), currency)) counts.set(currency, (counts.get(currency) ?? 0) + 1)
    }
  }
  if (counts.size === 0) return undefined
  const parts = [...counts]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, count]) => `${count} in ${currency}`)
  return `camt.053 has only currencies of ISO 4217 and five decimals, so these entries are not in it: ${parts.join(', ')}. The other formats have them`
}

const nothingToState = () =>
  new SvcError({
    error: 'NOTHING_TO_STATE',
    kind: 'finding',
    message: 'No completed payment of this time can be written as camt.053, so nothing was written',
    hint: 'camt.053 has only currencies of ISO 4217; the other formats have every payment',
  })

const toDirection = (isDebit: boolean) => (isDebit ? 'DBIT' : 'CRDT')

function formatCharges({svcFee, developerFee, source: {currency}}: CompletedPayment): string {
  const records = [
    ['Service fee', new Big(svcFee)],
    ['Developer fee', new Big(developerFee)],
  ] as const
  const shown = records.filter(([, amount]) => amount.gt('0') && isStatable(amount, currency))
  if (shown.length === 0) return ''
  const lines = shown.map(
    ([name, amount]) =>
      `<Rcrd>${toAmount('Amt', amount, currency)}<CdtDbtInd>DBIT</CdtDbtInd><ChrgInclInd>true</ChrgInclInd><Tp><Prtry><Id>${name}</Id></Prtry></Tp></Rcrd>`,
  )
  return `<Chrgs>${lines.join('')}</Chrgs>`
}

// What the other account paid or got, if it has a currency of ISO 4217 too.
function formatExchange({payment: {source, destination, rate}, isDebit}: Entry): string {
  const other = isDebit ? destination : source
  const amount = new Big(other.amount)
  if (source.currency === destination.currency || !isStatable(amount, other.currency)) return ''
  const isRateShown = rate !== undefined && isStatableRate(new Big(rate)) && /^[A-Z]{3}$/.test(source.currency)
  const exchange = isRateShown
    ? `<CcyXchg><SrcCcy>${source.currency}</SrcCcy><TrgtCcy>${destination.currency}</TrgtCcy><XchgRate>${rate}</XchgRate></CcyXchg>`
    : ''
  return `<AmtDtls><CntrValAmt>${toAmount('Amt', amount, other.currency)}${exchange}</CntrValAmt></AmtDtls>`
}

// Who got it, or who paid it, if the name is known.
function formatOtherParty({payment, isDebit}: Entry, parties: PartyNames | undefined): string {
  const {accountId} = isDebit ? payment.destination : payment.source
  const name = parties?.nameAccount(payment.customerId, accountId)?.name
  if (!name) return ''
  const role = isDebit ? 'Cdtr' : 'Dbtr'
  return `<RltdPties><${role}><Pty><Nm>${toField(name, textMax.name)}</Nm></Pty></${role}></RltdPties>`
}

function formatEntry(entry: Entry, {currency}: AccountCurrency, parties: PartyNames | undefined): string {
  const {payment, amount, isDebit} = entry
  const id = toShortId(payment.transactionId)
  const {referenceId} = isDebit ? payment.source : payment.destination
  const money = `${toAmount('Amt', amount, currency)}<CdtDbtInd>${toDirection(isDebit)}</CdtDbtInd>`
  const day = `<DtTm>${payment.completedAt}</DtTm>`
  // Issued and received credit transfers.
  const family = isDebit ? 'ICDT' : 'RCDT'
  const code = `<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>${family}</Cd><SubFmlyCd>OTHR</SubFmlyCd></Fmly></Domn></BkTxCd>`
  const references = [
    `<EndToEndId>${toField(payment.key, textMax.id)}</EndToEndId>`,
    `<TxId>${id}</TxId>`,
    ...(referenceId === undefined
      ? []
      : [`<Prtry><Tp>REFERENCE</Tp><Ref>${toField(toShortId(referenceId), textMax.id)}</Ref></Prtry>`]),
  ]
  return [
    `<Ntry><NtryRef>${id}</NtryRef>${money}<Sts><Cd>BOOK</Cd></Sts>`,
    `<BookgDt>${day}</BookgDt><ValDt>${day}</ValDt><AcctSvcrRef>${id}</AcctSvcrRef>${code}`,
    `<NtryDtls><TxDtls><Refs>${references.join('')}</Refs>${money}${formatExchange(entry)}`,
    isDebit ? formatCharges(payment) : '',
    formatOtherParty(entry, parties),
    `<RmtInf><Ustrd>${toField([payment.key, payment.note].filter(Boolean).join(': '), textMax.remittance)}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>\n`,
  ].join('')
}

interface Span {
  from: string
  to: string
}

// The balances are those of these payments alone, from zero: svc does not know the account's own, and says so.
function formatBalances({debits, credits}: Totals, currency: string, {from, to}: Span): string {
  const net = credits.sum.minus(debits.sum)
  const format = (name: string, amount: Big, at: string) =>
    `<Bal><Tp><CdOrPrtry><Prtry>${name}</Prtry></CdOrPrtry></Tp>${toAmount('Amt', amount.abs(), currency)}<CdtDbtInd>${toDirection(amount.lt('0'))}</CdtDbtInd><Dt><Dt>${toDay(at)}</Dt></Dt></Bal>\n`
  return format('SVC PAYMENTS BEFORE', new Big('0'), from) + format('SVC PAYMENTS AFTER', net, to)
}

function formatTotals({debits, credits}: Totals, currency: string): string {
  const net = credits.sum.minus(debits.sum)
  const format = (name: string, {count, sum}: Totals['debits'], more = '') =>
    `<${name}><NbOfNtries>${count}</NbOfNtries><Sum>${formatFigure(sum, currency)}</Sum>${more}</${name}>`
  const all = {count: debits.count + credits.count, sum: debits.sum.plus(credits.sum)}
  const netEntry = `<TtlNetNtry><Amt>${formatFigure(net.abs(), currency)}</Amt><CdtDbtInd>${toDirection(net.lt('0'))}</CdtDbtInd></TtlNetNtry>`
  return `<TxsSummry>${format('TtlNtries', all, netEntry)}${format('TtlCdtNtries', credits)}${format('TtlDbtNtries', debits)}</TxsSummry>\n`
}

// Of an open period, the first and the last completion. It says nothing of when it was written, so that the same books are the
// same bytes.
function findSpan({period, ...books}: Pick<Books, 'period'> & {first: string; last: string}): Span {
  const toText = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z')
  return {
    from: period.sinceMs === undefined ? books.first : toText(period.sinceMs),
    to: period.untilMs === undefined ? books.last : toText(period.untilMs),
  }
}

// Who is behind the account, or its id.
function nameHolder(books: Books, account: AccountCurrency, parties: PartyNames | undefined): string {
  const [payment] = parties ? books.walkAccount(account).take(1) : []
  return parties?.describeAccount(payment?.customerId, account.accountId) || account.accountId
}

export function* writeCamt053(books: Books, parties?: PartyNames): Generator<string> {
  const accounts = books
    .listAccounts()
    .map((account) => ({account, totals: addUp(books, account)}))
    .filter(({totals: {debits, credits}}) => debits.count + credits.count > 0)
  if (accounts.length === 0) throw nothingToState()
  let [first, last] = ['', '']
  for (const {completedAt} of books.walkCompleted()) [first, last] = [first || completedAt, completedAt]
  const span = findSpan({period: books.period, first, last})
  const name = hash('sha256', JSON.stringify([books.serviceId, span])).slice(0, 24)
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${namespace}"><BkToCstmrStmt>\n`
  yield `<GrpHdr><MsgId>svc-${name}</MsgId><CreDtTm>${span.to}</CreDtTm></GrpHdr>\n`
  for (const [index, {account, totals}] of accounts.entries()) {
    const {accountId, currency} = account
    yield `<Stmt><Id>svc-${name}-${index + 1}</Id><CreDtTm>${span.to}</CreDtTm>`
    yield `<FrToDt><FrDtTm>${span.from}</FrDtTm><ToDtTm>${span.to}</ToDtTm></FrToDt>\n`
    yield `<Acct><Id><Othr><Id>${toShortId(accountId)}</Id></Othr></Id><Ccy>${currency}</Ccy><Nm>${toField(nameHolder(books, account, parties), textMax.name)}</Nm></Acct>\n`
    yield formatBalances(totals, currency, span)
    yield formatTotals(totals, currency)
    for (const entry of listEntries(books, account)) yield formatEntry(entry, account, parties)
    yield '<AddtlStmtInf>Only payments made by svc, in UTC. The balances are those of these payments alone.</AddtlStmtInf></Stmt>\n'
  }
  yield '</BkToCstmrStmt></Document>\n'
}

// The texts of an ISO 20022 message: XML that is escaped, ids that fit their fields, and the figures that a message can have.
const entities: Readonly<Record<string, string>> = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'}

// XML has no way to write control characters and noncharacters.
const toXmlText = (text: string) =>
  cleanText(text.toWellFormed())
    .replace(/[\uFFFE\uFFFF]/g, '')
    .replace(/[&<>"]/g, (character) => entities[character] ?? '')

// Cut between characters, not within one.
const cut = (text: string, max: number) =>
  text.length <= max
    ? text
    : text
        .slice(0, max)
        .toWellFormed()
        .replace(/\uFFFD$/u, '')

// Text up to a length, never empty.
export const toField = (text: string, max: number) => toXmlText(cut(cleanText(text).trim() || '-', max))

const idCharsMax = 34
const digestLength = 12

// A UUID is two characters too long for the field, so it is written without its dashes. What is still too long ends with a
// digest, so that two ids stay different.
export function toShortId(id: string): string {
  const plain = id.replaceAll('-', '')
  const fits = plain.length <= idCharsMax && /^[A-Za-z0-9_.:/]+$/.test(plain)
  if (fits) return plain
  const kept = plain.replace(/[^A-Za-z0-9]/g, '').slice(0, idCharsMax - digestLength)
  return `${kept}${hash('sha256', id).slice(0, digestLength)}`
}

const fractionDigitsMax = 5
const digitsMax = 18

// Whether an amount can be written: the currency is one of ISO 4217, and there are not too many digits.
export function isStatable(amount: Big, currency: string): boolean {
  const [whole = '', fraction = ''] = amount.abs().toFixed().split('.')
  return (
    /^[A-Z]{3}$/.test(currency) &&
    isoCurrency(currency) !== undefined &&
    fraction.length <= fractionDigitsMax &&
    whole.length + Math.max(fraction.length, 2) <= digitsMax
  )
}

export const toAmount = (name: string, amount: Big, currency: string) =>
  `<${name} Ccy="${currency}">${formatFigure(amount, currency)}</${name}>`

const rateFractionMax = 10
const rateDigitsMax = 11

export function isStatableRate(rate: Big): boolean {
  const [whole = '', fraction = ''] = rate.toFixed().split('.')
  return fraction.length <= rateFractionMax && whole.replace(/^0$/, '').length + fraction.length <= rateDigitsMax
}
