// A scripted service of rules: it stores rules, loses replies, lags, and spells rules in its own way.
import {type ReceivedRequest, type Service, customerId, reply, serve} from '../../support/service.ts'

type Fields = Record<string, unknown>

// An invented rule, as a request carries it.
export const configuration = (more: Fields = {}) => ({
  name: 'Payroll',
  customerId: customerId(1),
  transactionTemplate: {
    source: {sourcePaymentAccountId: 'wallet-1', sourcePaymentMethod: 'BASE', sourceCurrency: 'USDC'},
    destination: {destinationPaymentAccountId: 'bank-1', destinationPaymentMethod: 'ACH', destinationCurrency: 'USD'},
    amount: {type: 'FLAT', value: '100.00'},
  },
  trigger: {type: 'TIME_BASED', cronSchedule: '0 9 * * 1-5'},
  ...more,
})

// The same rule as a service may send it: additional fields, other spellings, null for absent fields.
export const answered = (id: string, more: Fields = {}): Fields => ({
  id,
  name: 'Payroll',
  customerId: customerId(1),
  riskTier: 'gold',
  transactionTemplate: {
    memo: 'kept by the service',
    source: {
      sourcePaymentAccountId: 'wallet-1',
      sourcePaymentMethod: 'BASE',
      sourceCurrency: {label: 'USDC', chain: 'BASE', contractAddress: '0x0', currencyDecimals: 6},
    },
    destination: {destinationPaymentAccountId: 'bank-1', destinationPaymentMethod: 'ACH', destinationCurrency: 'USD'},
    amount: {type: 'FLAT', value: '100.000000', rounding: 'down'},
    developerFee: null,
  },
  trigger: {type: 'TIME_BASED', cronSchedule: '0 9 * * 1-5', thresholdAmount: null, paused: false},
  createdAt: '2026-11-01T12:00:00Z',
  ...more,
})

export interface Script {
  // The initial rules.
  rules?: Fields[]
  // Loses the reply of every write, after or before the write is done.
  lose?: 'after' | 'before'
  // Answers an update with what was there before, and does not do it.
  isDeaf?: boolean
  // Answers every write with 204 and no body.
  isSilent?: boolean
  // How many reads after a write still show the state before it.
  lag?: number
  // The rules that a POST creates.
  made?: Fields[]
  // The status of every read after a write.
  readsThen?: number
}

export interface RuleService extends Service {
  rules: Fields[]
  writes: ReceivedRequest[]
}

export async function serveRules({
  rules = [],
  lose,
  isDeaf,
  isSilent,
  lag = 0,
  made,
  readsThen,
}: Script = {}): Promise<RuleService> {
  let current = rules
  let seen = rules
  let left = 0
  const writes: ReceivedRequest[] = []
  const apply: Record<string, (asked: ReceivedRequest, id: string) => Fields | undefined> = {
    POST: () => {
      const [first, ...others] = made ?? [answered('rule-new')]
      current = [...current, ...(first ? [first, ...others] : [])]
      return first
    },
    PUT: ({body}, id) => {
      const sent = isDeaf ? {} : (JSON.parse(body) as Fields)
      current = current.map((rule) => (rule['id'] === id ? {...rule, ...sent} : rule))
      return current.find((rule) => rule['id'] === id)
    },
    DELETE: (_, id) => {
      const gone = current.find((rule) => rule['id'] === id)
      current = current.filter((rule) => rule['id'] !== id)
      return gone
    },
  }
  const service = await serve((asked, response) => {
    const id = decodeURIComponent(asked.path.split('/')[2] ?? '')
    if (asked.method !== 'GET') {
      writes.push(asked)
      if (lose === 'before') return response.destroy()
      const done = apply[asked.method]?.(asked, id)
      left = lag
      if (isSilent) return response.writeHead(204).end()
      return lose === 'after' ? response.destroy() : reply(response, done ? 200 : 404, done ?? {})
    }
    if (writes.length > 0 && readsThen) return reply(response, readsThen, {error: 'DOWN', message: 'Down.'})
    if (left-- <= 0) seen = current
    if (id === '') return reply(response, 200, {automationRules: seen})
    const one = seen.find((rule) => rule['id'] === id)
    return reply(response, one ? 200 : 404, one ?? {error: 'NOT_FOUND', message: 'None.'})
  })
  return {
    ...service,
    writes,
    get rules() {
      return current
    },
  }
}
