// Rules of the sandbox's first customer, whose accounts have the same ids on every machine.
import {type Home, freshHome, json, run} from '../../support/svc.ts'

export const customer = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'
export const wallet = '64fbd491-4b09-49d5-b40c-8b27facb31a9'
export const bankAch = 'e6086267-7e5a-4a91-b136-a94b38bbbfb8'
export const bankSepa = '861c3341-c5aa-48c7-a8e2-f2bb23581ca9'

export const sandbox = ['-p', 'sandbox']

// Everything but how much and when.
export const route = [
  ['--customer', customer],
  ['--from', wallet],
  ['--from-currency', 'USDC'],
  ['--from-method', 'SOLANA'],
  ['--to', bankAch],
  ['--to-currency', 'USD'],
  ['--to-method', 'ACH'],
].flat()

export const payroll = ['--name', 'Payroll', ...route, '--amount', '100.00', '--cron', '0 9 * * 1-5']

export interface Rule {
  id: string
  name: string
  transactionTemplate: {amount: unknown; destination: Record<string, unknown>; developerFee?: unknown}
  trigger: unknown
}

async function made(home: Home, flags: readonly string[]): Promise<Rule> {
  const {out} = await run(home, ['rules', 'create', ...sandbox, ...flags, '--json'])
  return json(out) as unknown as Rule
}

export async function withPayroll(more: readonly string[] = []) {
  const home = freshHome()
  return {home, rule: await made(home, [...payroll, ...more])}
}

export async function rulesIn(home: Home): Promise<Rule[]> {
  const {out} = await run(home, ['rules', 'list', ...sandbox, '--json'])
  return json(out)['automationRules'] as Rule[]
}
