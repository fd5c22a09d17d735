// Rules of two seeded customers of the sandbox, whose ids are the same on every machine, and helpers to apply them.
import fs from 'node:fs'
import path from 'node:path'
import {stringify} from 'yaml'
import {type Home, json, run} from '../../support/svc.ts'

export const ada = {
  customerId: '4738020a-a06d-4ef3-bc07-b5cacbf3446c',
  wallet: '64fbd491-4b09-49d5-b40c-8b27facb31a9',
  chain: 'SOLANA',
  outside: '5e24c2b3-ff61-4ecc-b251-513b79598ccd',
  ach: 'e6086267-7e5a-4a91-b136-a94b38bbbfb8',
}

export const bo = {
  customerId: '150669df-2159-446c-9a2f-32fc467a5cdb',
  wallet: 'cf3e2af6-635e-4695-a444-e6d21b51176e',
  chain: 'POLYGON',
  outside: '0cfb6b65-4abe-4b03-9567-dd410e52bb69',
  ach: '799568e5-286d-4052-8336-197bdb96f9f3',
}

export interface SampleRule {
  id?: string
  name: string
  customerId: string
  transactionTemplate: {
    source: Record<string, unknown>
    destination: Record<string, unknown>
    amount: {type: string; value: unknown}
    developerFee?: Record<string, unknown>
  }
  trigger: Record<string, unknown>
  [field: string]: unknown
}

// A weekly payout of 100.10 USDC to a bank account.
export const payout = (name: string, whose = ada, more: Partial<SampleRule> = {}): SampleRule => ({
  name,
  customerId: whose.customerId,
  transactionTemplate: {
    source: {sourcePaymentAccountId: whose.wallet, sourcePaymentMethod: whose.chain, sourceCurrency: 'USDC'},
    destination: {
      destinationPaymentAccountId: whose.ach,
      destinationPaymentMethod: 'ACH',
      destinationCurrency: 'USD',
    },
    amount: {type: 'FLAT', value: '100.10'},
    developerFee: {developerFeeType: 'USD', developerFeeAmount: '1'},
  },
  trigger: {type: 'TIME_BASED', cronSchedule: '0 9 * * 1'},
  ...more,
})

// The amount of a rule can change; its schedule cannot.
export const ofAmount = (rule: SampleRule, value: unknown): SampleRule => ({
  ...rule,
  transactionTemplate: {...rule.transactionTemplate, amount: {type: 'FLAT', value}},
})
export const atTime = (rule: SampleRule, cronSchedule: string): SampleRule => ({
  ...rule,
  trigger: {type: 'TIME_BASED', cronSchedule},
})

export const sandbox = (home: Home, args: readonly string[], input?: string) =>
  run(home, [...args, '-p', 'sandbox'], input === undefined ? {} : {input})

export function fileOf(home: Home, rules: readonly unknown[], name = 'rules.yaml'): string {
  const file = path.join(home.folder, name)
  fs.writeFileSync(file, stringify({rules}))
  return file
}

export const apply = (home: Home, rules: readonly unknown[], ...flags: string[]) =>
  sandbox(home, ['rules', 'apply', '-f', fileOf(home, rules), '--json', ...flags])

interface Row {
  action: string
  id: string
  name: string
  customerId: string
  outcome: string
  error?: {error: string; message: string}
}

export const appliedIn = (out: string) => json(out)['applied'] as Row[]

export const outcomesIn = (out: string) =>
  appliedIn(out).map(({action, name, outcome}) => `${action} ${name}: ${outcome}`)

export async function existing(home: Home): Promise<Array<SampleRule & {id: string}>> {
  const {out} = await sandbox(home, ['api', 'GET', '/automation-rules'])
  return json(out)['automationRules'] as Array<SampleRule & {id: string}>
}

export const namesIn = (rules: ReadonlyArray<{name: string}>) => rules.map(({name}) => name).toSorted()

export const fault = (home: Home, method: string, kind: string, ...more: string[]) =>
  run(home, ['sandbox', 'faults', 'add', '--method', method, '--path', '*', '--kind', kind, ...more])
