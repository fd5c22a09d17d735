// Rows for the history of a long journal: the memory with which it is verified, archived and pruned, and how long that takes.
import fs from 'node:fs'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {type ChainEntry, digestText, fileChain, hashEntry} from '../../src/payments/journal/chain.ts'
import {openJournal} from './journal.ts'
import type {Row, SizeCost} from './row.ts'
import {runSvc} from './run-svc.ts'

const dayMs = 86_400_000
const betweenMs = 1_000

type Line = Pick<ChainEntry, 'at' | 'what' | 'detail' | 'evidence'>

const insertPayment = `insert into payments (serviceId, key, state, currency, amount, destination, transactionId, spentAt, createdAt,
    updatedAt, payment, epoch)
  select serviceId, ?, state, currency, amount, destination, ?, spentAt, ?, ?, ?, epoch from payments where rowid = 1`

const insertLine = `insert into history (seq, serviceId, key, at, what, detail, evidence, payment, hash)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?)`

// Copies the one payment of a journal, with its history as entries of the chain that verify, to other keys and earlier times.
function fillChained(file: string, count: number): void {
  const database = new DatabaseSync(file)
  database.exec('pragma synchronous = off; begin')
  const model = database.prepare('select serviceId, payment from payments').get()
  const lines = database
    .prepare(`select at, what, detail, evidence from history order by seq`)
    .all()
    .map(({at, what, detail, evidence}): Line => ({
      at: Number(at),
      what: String(what),
      detail: detail === null ? null : String(detail),
      evidence: evidence === null ? null : String(evidence),
    }))
  const {number, hash} = database.prepare('select number, hash from chains').get() ?? {}
  const end = {number: Number(number), hash: String(hash)}
  const serviceId = String(model?.['serviceId'])
  const addPayment = database.prepare(insertPayment)
  const addLine = database.prepare(insertLine)
  for (let index = 0; index < count; index++) {
    const key = `copy-${index}`
    const transactionId = `tx-${index}`
    const text = JSON.stringify({...JSON.parse(String(model?.['payment'])), key, transactionId})
    const earlierMs = dayMs + (count - index) * betweenMs
    const times = lines.map(({at}) => at - earlierMs)
    const updatedAt = times.slice(1).reduce((before, at) => Math.max(at, before + 1), times[0] ?? 0)
    addPayment.run(key, transactionId, times[0] ?? 0, updatedAt, text)
    for (const [line, {what, detail, evidence}] of lines.entries()) {
      const payment = line === lines.length - 1 ? digestText(text) : null
      const entry = {
        chain: fileChain,
        number: end.number + 1,
        at: times[line] ?? 0,
        serviceId,
        key,
        what,
        detail,
        evidence,
      }
      Object.assign(end, {number: entry.number, hash: hashEntry(end.hash, {...entry, payment})})
      addLine.run(entry.number, serviceId, key, entry.at, what, detail, evidence, payment, end.hash)
    }
  }
  database.prepare('update chains set number = ?, hash = ?').run(end.number, end.hash)
  database.exec('commit; pragma wal_checkpoint(truncate)')
  database.close()
}

const today = () => new Date().toISOString().slice(0, 'YYYY-MM-DD'.length)

interface Step {
  row: string
  title: string
  args: (folder: string) => readonly string[]
  memoryMaxMiB: number
}

// In this order, for each journal.
const steps: readonly Step[] = [
  {row: 'verify', title: 'svc journal verify', args: () => ['journal', 'verify'], memoryMaxMiB: 400},
  {
    row: 'prune',
    title: 'svc journal archive --prune',
    args: (folder) =>
      `journal archive --before ${today()} --prune --yes --out ${path.join(folder, 'archive.jsonl')}`.split(' '),
    memoryMaxMiB: 400,
  },
]

// 250,000 payments have a million entries.
const paymentCounts = [2_500, 25_000, 250_000]

export const archiveRows: readonly Row[] = steps.map(({row, title, memoryMaxMiB}) => ({
  name: `journal-${row}`,
  isLong: true,
  title: `${title}, 250,000 payments, peak memory`,
  unit: 'MB',
  bound: {atMost: memoryMaxMiB},
  sizeUnit: 'payments',
  measure: async ({share, folder}) => {
    const measured = await share('archived journals', async () => ({value: await measureSteps(folder)}))
    const sizes: SizeCost[] = measured.map(({count, costs}) => ({
      size: count,
      value: costs.get(row)?.peakMiB ?? Number.NaN,
    }))
    const {seconds = Number.NaN} = measured.at(-1)?.costs.get(row) ?? {}
    return {
      rounds: [{own: {value: sizes.at(-1)?.value ?? Number.NaN}}],
      sizes,
      note: `${seconds.toFixed(1)} s`,
    }
  },
}))

async function measureSteps(folder: string) {
  const measured: Array<{count: number; costs: Map<string, {seconds: number; peakMiB: number}>}> = []
  for (const count of paymentCounts) {
    const own = path.join(folder, `archived-${count}`)
    fs.mkdirSync(own)
    const address = path.join(own, 'journal.sqlite')
    const {env, server} = await openJournal(own, {address, count}, async () => {}, fillChained)
    const costs = new Map<string, {seconds: number; peakMiB: number}>()
    for (const {row, args} of steps) costs.set(row, await runSvc(env, args(own)))
    measured.push({count, costs})
    server.process.kill()
  }
  return measured
}
