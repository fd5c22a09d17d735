// The row for a year of virtual time in the sandbox, with 1,000 rules that pay every day.
import path from 'node:path'
import {type Sandbox, openSandbox} from '../../src/sandbox/sandbox.ts'
import type {Row, SizeCost} from './row.ts'
import {createQuoteBody} from './sandbox.ts'

const rulesMany = 1_000
const dayMs = 86_400_000
const daysOfSizes = [12, 60, 365]
const walletFunds = '900000000'
const firstHour = 8
const hours = 4

interface Route {
  customerId: string
  source: {sourcePaymentAccountId: string; sourceCurrency: string; sourcePaymentMethod: string}
  destination: Record<string, string>
}

async function createRule(sandbox: Sandbox, {customerId, source, destination}: Route, index: number): Promise<void> {
  const {sourcePaymentAccountId, sourceCurrency, sourcePaymentMethod} = source
  const rule = {
    name: `rule ${index}`,
    customerId,
    transactionTemplate: {
      source: {sourcePaymentAccountId, sourceCurrency, sourcePaymentMethod},
      destination,
      amount: {type: 'FLAT', value: '10'},
    },
    trigger: {type: 'TIME_BASED', cronSchedule: `0 ${firstHour + (index % hours)} * * *`},
  }
  const headers = {authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json'}
  const request = new Request('http://localhost/automation-rules', {
    method: 'POST',
    headers,
    body: JSON.stringify(rule),
  })
  const response = await sandbox.fetch(request)
  if (!response.ok) throw new Error(`a rule was answered ${response.status}: ${await response.text()}`)
}

// How long the clock takes to move by so many days.
async function measureDays(file: string, days: number): Promise<SizeCost> {
  const sandbox = openSandbox({file})
  try {
    const route = JSON.parse(await createQuoteBody(sandbox)) as Route
    sandbox.money.fund(route.source.sourcePaymentAccountId, walletFunds, 'USDC')
    for (let index = 0; index < rulesMany; index++) await createRule(sandbox, route, index)
    const begun = performance.now()
    sandbox.clock.advance(days * dayMs)
    return {size: days, value: (performance.now() - begun) / 1000}
  } finally {
    sandbox.close()
  }
}

export const virtualYearRow: Row = {
  name: 'virtual-year',
  title: 'a year of virtual time, 1,000 daily rules that can pay',
  unit: 's',
  bound: {atMost: 20},
  sizesOf: 'days',
  measure: async ({folder}) => {
    const sizes: SizeCost[] = []
    for (const days of daysOfSizes) sizes.push(await measureDays(path.join(folder, `days-${days}.sqlite`), days))
    return {rounds: [{own: {value: sizes.at(-1)?.value ?? Number.NaN}}], sizes}
  },
}
