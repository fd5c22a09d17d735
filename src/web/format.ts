// Formats what a service sent for a page: text without characters that hide or reorder it, times, durations and ids.
import {type Content, html, type Html} from './html.ts'
import {getCurrencyLabel} from '../contract/loose.ts'
import {codeToWords} from '../values/text.ts'
import {formatDuration, formatTime, secondMs, toInstantMs} from '../values/time.ts'
import {type Tone, getTone} from './tones.ts'

const textShownMax = 400
// Characters that control, hide or reorder text. The template escapes what means something in HTML.
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+/gu

const clean = (text: string) => {
  const shown = text.replace(unsafe, ' ').trim()
  return shown.length > textShownMax ? `${shown.slice(0, textShownMax)}…` : shown
}

// A scalar as text. Anything else a service may send in its place is shown as JSON, never as [object Object].
export function toText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return clean(value)
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  return clean(JSON.stringify(value) ?? '')
}

export const toTime = (value: unknown): number | undefined => toInstantMs(value)

// The extremes of Date, which would otherwise throw.
const timeMax = 8.64e15
const isDate = (ms: number) => Math.abs(ms) <= timeMax

const formatSeconds = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')

// In UTC. Text that is no time is shown as it is.
export function renderTime(value: unknown, {withSeconds = false} = {}): Content {
  const ms = toTime(value)
  if (ms === undefined || !isDate(ms)) return toText(value)
  const iso = new Date(ms).toISOString()
  return html`<time datetime="${iso}" title="${formatSeconds(ms)} UTC"
    >${withSeconds ? formatSeconds(ms) : formatTime(ms)}</time
  >`
}

// In the two largest units, such as 2 h 5 min.
export const formatLag = (ms: number): string => (ms < secondMs ? 'under 1 s' : formatDuration(ms))

export const toWords = (code: unknown): string => codeToWords(toText(code))

export const renderStatus = (status: unknown, tone: Tone = getTone(status)): Html =>
  html`<span class="mark ${tone}" title="${toText(status)}">${toWords(status) || 'No status'}</span>`

// Groups the digits before the point. The digits themselves stay as the service sent them.
export function formatAmount(amount: unknown): string {
  const text = toText(amount)
  if (!/^-?\d+(\.\d+)?$/.test(text)) return text
  const [whole = '', decimals] = text.split('.')
  const wholeWithCommas = whole.replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',')
  return decimals === undefined ? wholeWithCommas : `${wholeWithCommas}.${decimals}`
}

export const toCurrency = (currency: unknown): string => toText(getCurrencyLabel(currency))

export function formatMoney(amount: unknown, currency: unknown): string {
  return [formatAmount(amount) || '?', toCurrency(currency)].filter(Boolean).join(' ')
}

const idShownMax = 13

// The first characters identify an id; the whole of it is the title, and on its own page.
export function shortenId(id: string): string {
  if (id.length <= idShownMax) return id
  return /^[\da-f]{8}-/i.test(id) ? `${id.slice(0, 8)}…` : `${id.slice(0, idShownMax - 1)}…`
}

export const renderCode = (text: string): Html => html`<code>${text}</code>`
