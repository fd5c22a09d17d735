// Compares the rows of a rehearsed file with the service's list and the journal: each was paid once, or not at all.
import {Big} from 'big.js'
import {openJournal} from '../../payments/journal/open-journal.ts'
import {getLastAttempt} from '../../payments/protocol/payment.ts'
import {deriveCorrelationId} from '../../payments/protocol/payment-content.ts'
import type {Sandbox} from '../../transport.ts'
import type {PayoutRow} from '../file/rows.ts'

interface OwnTransaction {
  transactionId: string
  correlationId?: string
  source: {sourceAmount: string}
}

// Every transaction that svc made. The faults must be cleared before.
async function listOwn(sandbox: Sandbox): Promise<OwnTransaction[]> {
  const all: OwnTransaction[] = []
  const headers = {authorization: `Bearer ${sandbox.apiKey}`}
  let token: string | undefined
  do {
    const at = `/transactions?pageSize=100${token ? `&pageToken=${encodeURIComponent(token)}` : ''}`
    const reply = await sandbox.fetch(new Request(`http://localhost${at}`, {headers}))
    const page = (await reply.json()) as {transactions: OwnTransaction[]; nextPageToken?: string}
    all.push(...page.transactions.filter(({correlationId}) => correlationId?.startsWith('svc_')))
    token = page.nextPageToken
  } while (token)
  return all
}

export interface UnpaidRow {
  key: string
  state: string
  reason?: string
}

export interface RoundFindings {
  // What must not happen: paid twice, paid without the journal knowing, another transaction or amount.
  wrong: string[]
  unpaid: UnpaidRow[]
  paid: number
}

interface Round {
  rows: readonly PayoutRow[]
  sandbox: Sandbox
  journalFile: string
  serviceId: string
}

export async function verifyRound({rows, sandbox, journalFile, serviceId}: Round): Promise<RoundFindings> {
  const findings: RoundFindings = {wrong: [], unpaid: [], paid: 0}
  const ownByCorrelation = Map.groupBy(await listOwn(sandbox), ({correlationId}) => correlationId)
  const journal = await openJournal({text: journalFile}, {isOnlyRead: true})
  try {
    for (const row of rows) {
      const own = ownByCorrelation.get(deriveCorrelationId(serviceId, row.key)) ?? []
      const payment = await journal.find(serviceId, row.key)
      const state = payment?.state ?? 'NOT_TRIED'
      const [only] = own
      const {reason} = (payment && getLastAttempt(payment)) ?? {}
      if (own.length > 1) findings.wrong.push(`${row.key} was paid ${own.length} times`)
      else if (!only && state === 'CREATED') findings.wrong.push(`${row.key} is in the journal, but was not paid`)
      else if (!only) findings.unpaid.push({key: row.key, state, ...(reason && {reason})})
      else if (state !== 'CREATED') findings.wrong.push(`${row.key} was paid, but is ${state} in the journal`)
      else if (payment?.transactionId !== only.transactionId)
        findings.wrong.push(`${row.key} is another transaction in the journal`)
      else if (!new Big(only.source.sourceAmount).eq(row.content.source.sourceAmount))
        findings.wrong.push(`${row.key} was paid with another amount`)
      else findings.paid++
    }
  } finally {
    await journal.close()
  }
  try {
    sandbox.money.verifyLedger()
  } catch (error) {
    findings.wrong.push(`the ledger: ${String(error)}`)
  }
  return findings
}
