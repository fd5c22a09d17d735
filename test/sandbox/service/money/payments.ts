// Test helpers that use a sandbox as a client does: find accounts, request quotes, and create transactions.
import {expect} from 'vitest'
import type {z} from 'zod'
import {endpoints} from '../../../../src/contract/endpoints.ts'
import {errorBody} from '../../../../src/contract/openapi.ts'
import type {AccountWithBalances} from '../../../../src/sandbox/service/money/controls.ts'
import type {Transaction} from '../../../../src/sandbox/service/money/transitions.ts'
import type {Sandbox} from '../../../../src/sandbox/sandbox.ts'
import {requestTo} from '../../open.ts'

// An ACTIVE demo customer, one that is CREATED, and an id that does not exist.
export const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'
export const grace = 'f80a5001-be2d-4368-9726-a4523bfb5e71'
export const nobody = '00000000-0000-4000-8000-000000000000'

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

export interface AccountEnd {
  id: string
  method: string
  currency: string
}

export interface AccountEnds {
  wallet: AccountEnd
  ownWallet: AccountEnd
  deposits: AccountEnd
  ACH: AccountEnd
  WIRE: AccountEnd
  SEPA: AccountEnd
  CA_INTERAC: AccountEnd
  IN_NEFT_RTGS_IMPS: AccountEnd
}

export type AccountEndName = keyof AccountEnds

function toAccountEnd(account: AccountWithBalances): [string, AccountEnd] {
  const {paymentAccountId: id, externalBankAccount: bank, externalCryptoWallet: own, svcCryptoWallet} = account
  if (bank) {
    const method = bank.bankAccountPaymentMethod ?? ''
    return [method, {id, method, currency: bank.bankAccountCurrency?.label ?? ''}]
  }
  if (own) return ['ownWallet', {id, method: own.address?.chain ?? '', currency: own.currency?.label ?? ''}]
  if (svcCryptoWallet) return ['wallet', {id, method: svcCryptoWallet.address?.chain ?? '', currency: 'USDC'}]
  return ['deposits', {id, method: 'ACH', currency: account.svcAutoFiatAccount?.currency?.label ?? ''}]
}

// The accounts of a demo customer, by type or rail.
export const findAccountEnds = (sandbox: Sandbox, customerId = zoe) =>
  Object.fromEntries(
    sandbox.money
      .accounts(customerId)
      .filter(({paymentAccountStatus}) => paymentAccountStatus === 'ACTIVE')
      .map(toAccountEnd),
  ) as unknown as AccountEnds

export const quoteBody = (from: AccountEnd, to: AccountEnd, amount: string, more: object = {}) => ({
  customerId: zoe,
  source: {
    sourcePaymentAccountId: from.id,
    sourceCurrency: from.currency,
    sourcePaymentMethod: from.method,
    sourceAmount: amount,
  },
  destination: {
    destinationPaymentAccountId: to.id,
    destinationPaymentMethod: to.method,
    destinationCurrency: to.currency,
  },
  ...more,
})

async function callSandbox(
  sandbox: Sandbox,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
) {
  const request = requestTo(sandbox, method, path, body)
  for (const [name, value] of Object.entries(headers)) request.headers.set(name, value)
  const response = await sandbox.fetch(request)
  return {status: response.status, text: await response.text()}
}

// Checks that the reply follows the contract and has no other fields.
function parseReply<T extends z.ZodType>(schema: T, {status, text}: {status: number; text: string}): z.output<T> {
  expect({status, text}).toMatchObject({status: 200})
  const value = schema.parse(JSON.parse(text))
  expect(value).toEqual(JSON.parse(text))
  return value
}

export async function requestQuote(sandbox: Sandbox, body: object) {
  return parseReply(endpoints.quotes.create.reply, await callSandbox(sandbox, 'POST', '/quotes', body))
}

const key = (value: string) => ({'x-idempotency-key': value})
let keys = 0

export const sendTransaction = (sandbox: Sandbox, body: object, idempotencyKey = `key ${++keys}`) =>
  callSandbox(sandbox, 'POST', '/transactions', body, key(idempotencyKey))

export async function createTransaction(sandbox: Sandbox, body: object, idempotencyKey?: string): Promise<Transaction> {
  return parseReply(endpoints.transactions.create.reply, await sendTransaction(sandbox, body, idempotencyKey))
}

// Requests a quote and creates its transaction.
export async function pay(sandbox: Sandbox, from: AccountEnd, to: AccountEnd, amount: string, more: object = {}) {
  const {quoteId} = await requestQuote(sandbox, quoteBody(from, to, amount, more))
  return createTransaction(sandbox, {quoteId})
}

export async function listTransactions(sandbox: Sandbox, query: Record<string, string | number> = {}) {
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  const reply = await callSandbox(sandbox, 'GET', `/transactions?${search.toString()}`)
  return parseReply(endpoints.transactions.list.reply, reply)
}

export async function listAllTransactions(
  sandbox: Sandbox,
  query: Record<string, string | number> = {},
): Promise<Transaction[]> {
  const found: Transaction[] = []
  let token: string | null | undefined
  do {
    const page = await listTransactions(sandbox, {...query, ...(token && {pageToken: token})})
    found.push(...page.transactions)
    token = page.nextPageToken
  } while (token)
  return found
}

export async function readTransaction(sandbox: Sandbox, {transactionId}: Transaction): Promise<Transaction> {
  const found = (await listAllTransactions(sandbox, {pageSize: 100})).find(
    (each) => each.transactionId === transactionId,
  )
  if (!found) throw new Error(`There is no transaction ${transactionId}`)
  return found
}

export async function listAccounts(sandbox: Sandbox, query: string) {
  return parseReply(endpoints.accounts.list.reply, await callSandbox(sandbox, 'GET', `/payment-accounts?${query}`))
}

export async function expectRejection(
  sandbox: Sandbox,
  path: '/quotes' | '/transactions',
  body: object,
  idempotencyKey?: string,
) {
  const reply =
    path === '/quotes'
      ? await callSandbox(sandbox, 'POST', path, body)
      : await sendTransaction(sandbox, body, idempotencyKey)
  const value = errorBody.strict().parse(JSON.parse(reply.text))
  expect(value.statusCode).toBe(reply.status)
  return value
}

export const readUsdcBalance = (sandbox: Sandbox, {id}: AccountEnd, customerId = zoe) =>
  sandbox.money.accounts(customerId).find(({paymentAccountId}) => paymentAccountId === id)?.balances['USDC']
