// Says in words what a payment costs, and what the journal recorded about it, for the console.
import {Big} from 'big.js'
import {roundDecimal, roundRate} from '../values/currencies.ts'
import {addAmounts, parsePositiveDecimal} from '../values/money.ts'
import {isRecord, lookUp} from '../values/records.ts'
import {capitalize, endSentence} from '../values/text.ts'
import {type Tone, formatMoney, toText, toWords} from './format.ts'

const isSameCurrency = (one: string, other: string) => one.toUpperCase() === other.toUpperCase()

// Such as 1 USDC = 0.9235 EUR. There is nothing to say without a rate, or within one currency.
export const describeRate = (rate: string, from: string, to: string): string =>
  rate === '' || isSameCurrency(from, to) ? '' : `1 ${from} = ${roundRate(rate)} ${to}`

interface ChargedFees {
  // An absent fee is an empty text.
  fees: readonly string[]
  feeCurrency: string
  amount: string
  currency: string
}

// Such as 1.20 USDC, 0.5 % of the amount. Empty if there are none, or if one of them is no decimal.
export function describeFees({fees, feeCurrency, amount, currency}: ChargedFees): string {
  const charged = fees.filter(Boolean)
  const sum = charged.length > 0 ? addAmounts(charged) : undefined
  if (sum === undefined) return ''
  const sent = isSameCurrency(feeCurrency, currency) ? parsePositiveDecimal(amount) : undefined
  const share = sent?.gt('0') && roundDecimal(new Big(sum).times('100').div(sent).toFixed(), 2)
  return `${formatMoney(sum, feeCurrency)}${share ? `, ${share} % of the amount` : ''}`
}

const stepTitles: Readonly<Record<string, readonly [title: string, tone: Tone]>> = {
  INTENDED: ['Planned and written down, before anything was asked', 'quiet'],
  QUOTED: ['The service quoted a price', 'quiet'],
  STOPPED: ['Stopped before it was sent', 'open'],
  ARMED: ['Written down as about to be sent', 'open'],
  CREATED: ['The service made the transaction', 'good'],
  ADOPTED: ['Its transaction was found at the service', 'good'],
  REFUSED: ['The service refused it; its list has not confirmed that yet', 'open'],
  REJECTED: ['The service refused it, and its list has no transaction of it', 'bad'],
  UNKNOWN: ['The answer was lost: whether it was paid is not known', 'bad'],
  RESENDING: ['The same request was sent again', 'open'],
  NOT_FOUND: ['The service’s list has no transaction of it', 'quiet'],
  ABANDONED: ['Given up', 'open'],
  ENDED: ['The transaction ended badly', 'bad'],
  RETRIED_NOW: ['A person had it paid again at once', 'open'],
  CONTENT_CHANGED: ['What is to be paid was changed', 'open'],
  TAKEN_OVER: ['Taken over from a process that had stopped', 'quiet'],
}

const decision = 'DECISION'

const decisionTitles: Readonly<Record<string, string>> = {
  APPROVAL_USED: 'Approved',
  APPROVAL_WITHDRAWN: 'An approval was withdrawn',
  LIMITS_CHANGED: 'The limits were changed',
  ENDING_DEALT_WITH: 'A person said that its bad ending is dealt with',
  HEAD_SIGNED: 'The journal was signed',
}

export interface JournalStep {
  what: string
  detail?: Readonly<Record<string, unknown>> | undefined
}

interface Currencies {
  from: string
  to: string
}

export interface StepWords {
  title: string
  tone: Tone
  sentences: readonly string[]
}

const listSigners = ({signer, data}: Readonly<Record<string, unknown>>): string[] => {
  const approvals: unknown = isRecord(data) ? data['approvals'] : undefined
  const signers = Array.isArray(approvals) ? approvals.map((each) => (isRecord(each) ? each['signer'] : undefined)) : []
  return [...new Set([signer, ...signers].map(toText).filter(Boolean))]
}

function describeQuote(detail: Readonly<Record<string, unknown>>, {from, to}: Currencies): string {
  const [rate, received, feeCurrency] = [detail['rate'], detail['received'], detail['feeCurrency']].map(toText)
  const fees = [detail['svcFee'], detail['developerFee']].map(toText)
  const charged = describeFees({fees, feeCurrency: feeCurrency ?? '', amount: '', currency: from})
  return [
    describeRate(rate ?? '', from, to),
    charged && `fees ${charged}`,
    received && `${formatMoney(received, to)} to arrive`,
  ]
    .filter(Boolean)
    .join(', ')
}

// What a field of a line says. Ids, counters and signatures say nothing to a person: they are shown as they are elsewhere.
const wordless = new Set(['quoteId', 'transactionId', 'attempt', 'epoch', 'by', 'id', 'kind', 'data', 'signer', 'pid'])
const ofQuotes = new Set(['rate', 'received', 'svcFee', 'developerFee', 'feeCurrency'])
const ofPeople = new Set(['user', 'host'])

const fieldSentences: Readonly<Record<string, (value: string) => string>> = {
  reason: (text) => capitalize(text),
  why: (text) => `Because: ${text}`,
  difference: (text) => `It differs from what was meant: ${text}`,
  changes: (text) => `Changed: ${text}`,
  status: (text) => `It ended as ${toWords(text).toLowerCase()}`,
  ended: (text) => `It ended as ${toWords(text).toLowerCase()}`,
  file: (text) => `For the file ${text}`,
  batch: (text) => `For the batch ${text}`,
}

function describePeople(detail: Readonly<Record<string, unknown>>): string[] {
  const [user, host] = [toText(detail['user']), toText(detail['host'])]
  const signers = listSigners(detail)
  return [
    signers.length > 0 ? `Signed by ${signers.join(' and ')}` : '',
    user === '' ? host && `On ${host}` : `By ${user}${host && ` on ${host}`}`,
  ]
}

// A line of the journal's history. A field that is not known here is shown with its name, never left out.
export function describeStep({what, detail = {}}: JournalStep, currencies: Currencies): StepWords {
  const kind = toText(detail['kind'])
  const [title, tone] =
    what === decision
      ? ([lookUp(decisionTitles, kind) ?? toWords(kind), 'quiet'] as const)
      : (lookUp(stepTitles, what) ?? ([toWords(what), 'quiet'] as const))
  const others = Object.entries(detail)
    .filter(([name]) => ![wordless, ofQuotes, ofPeople].some((names) => names.has(name)))
    .map(([name, value]) => lookUp(fieldSentences, name)?.(toText(value)) ?? `${toWords(name)}: ${toText(value)}`)
  const sentences = [describeQuote(detail, currencies), ...others, ...describePeople(detail)]
  return {title, tone, sentences: sentences.filter(Boolean).map((text) => endSentence(text))}
}
