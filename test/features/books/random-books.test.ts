// A hundred random payments of the sandbox with fees and exchanges: the books balance to the last digit, and their totals are those of
// the sandbox's ledger, of the report and of reconcile.
import {spawnSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {expectsProgram} from '../../support/programs.ts'
import {seed} from '../../support/seed.ts'
import {type Home, json, run, sharedHome} from '../../support/svc.ts'
import {copySeededSandbox} from '../../support/seeded-sandbox.ts'
import {createRows, fundWallets, listAccounts, payoutHeader, type SandboxAccount} from './random-payments.ts'
import {addUpAccounts, findUnbalanced, readLedger} from './read-ledger.ts'
import {compareWithSandbox, readLines} from './sandbox-ledger.ts'

const count = 100
const inSandbox = ['-p', 'sandbox']

describe(`the books of ${count} random payments (seed ${seed})`, () => {
  let home: Home
  let accounts: SandboxAccount[]
  let sandboxFile: string

  const call = async (args: readonly string[]) => {
    const {code, out, err} = await run(home, args)
    if (code !== 0) throw new Error(`svc ${args.join(' ')} ended with ${code}: ${err}`)
    return out
  }

  const exportAs = async (format: string, name = 'books') => {
    const file = path.join(home.folder, `${name}.${format}`)
    if (!fs.existsSync(file)) await call(['journal', 'export', '--format', format, '--out', file, ...inSandbox])
    return {file, text: fs.readFileSync(file, 'utf8')}
  }

  beforeAll(async () => {
    home = sharedHome()
    sandboxFile = path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'state', 'sandbox.sqlite')
    // Prices follow the clock, so a frozen one makes the seed decide everything.
    copySeededSandbox(sandboxFile, new Date('2026-11-02T10:00:00Z'))
    accounts = await listAccounts(call)
    await fundWallets(call, accounts)
    const file = path.join(home.folder, 'payouts.csv')
    fs.writeFileSync(file, [payoutHeader, ...createRows(accounts, count, seed), ''].join('\n'))
    await call(['payouts', 'run', file, '--allow-duplicates', '--quiet', ...inSandbox])
    await call(['sandbox', 'clock', 'until-idle', '--quiet'])
  })

  afterAll(() => fs.rmSync(home.folder, {recursive: true, force: true}))

  it('balance exactly, and both ledgers say the same', async () => {
    const [hledger, beancount] = [await exportAs('hledger'), await exportAs('beancount')]
    const entries = readLedger(hledger.text)
    expect(entries.length).toBeGreaterThan(count / 2)
    expect(findUnbalanced(entries)).toEqual([])
    expect(findUnbalanced(readLedger(beancount.text))).toEqual([])
    expect(addUpAccounts(readLedger(beancount.text))).toEqual(addUpAccounts(entries))
  })

  it('have the totals of the sandbox’s own ledger, and every payment once', async () => {
    const {text} = await exportAs('jsonl')
    const wallets = accounts.filter(({paymentAccountType}) => paymentAccountType === 'SVC_CRYPTO_WALLET')
    const compared = compareWithSandbox(text, sandboxFile, new Set(wallets.map((each) => each.paymentAccountId)))
    expect(compared.ledger).toEqual(compared.books)
    const lines = readLines(text)
    expect(new Set(lines.map(({key}) => key)).size).toBe(count)
    expect(lines).toHaveLength(count)
    const reconciled = await run(home, ['reconcile', '--since', '2026-01-01', ...inSandbox])
    // Payments that ended badly are the only findings, and those that the books name.
    const failed = lines.filter(({posted}) => !posted)
    expect(failed.every(({kind}) => kind === 'FAILED')).toBe(true)
    expect(reconciled.out.match(/^ENDED_BADLY /gm) ?? []).toHaveLength(failed.length)
    expect(reconciled.code).toBe(failed.length > 0 ? 12 : 0)
  })

  it('are what the report adds up', async () => {
    const {text} = await exportAs('hledger')
    const sums = addUpAccounts(readLedger(text))
    const report = json(await call(['report', '--json', '--quiet', ...inSandbox])) as {
      totals: Array<{currency: string; svcFee: string; developerFee: string}>
      received: Array<{currency: string; difference: string}>
    }
    for (const {currency, svcFee, developerFee} of report.totals) {
      expect(Number(svcFee)).toBe(Number(sums[`Expenses:Svc:ServiceFee ${currency}`] ?? '0'))
      expect(Number(developerFee)).toBe(Number(sums[`Expenses:Svc:DeveloperFee ${currency}`] ?? '0'))
    }
    for (const {currency, difference} of report.received) {
      expect(difference).toBe(sums[`Expenses:Svc:Rounding ${currency}`] ?? '0')
    }
  })

  it('are the same bytes when they are exported again', async () => {
    for (const format of ['csv', 'jsonl', 'hledger', 'beancount']) {
      expect((await exportAs(format, 'again')).text).toBe((await exportAs(format)).text)
    }
  })

  const readers: Array<[format: string, program: string, words: string[]]> = [
    ['hledger', 'hledger', ['check', '--strict', '-f']],
    ['beancount', 'bean-check', []],
  ]
  it.each(readers.filter(([, program]) => expectsProgram(program)))(
    'are accepted by %s',
    async (format, program, words) => {
      const {status, stderr} = spawnSync(program, [...words, (await exportAs(format)).file], {encoding: 'utf8'})
      expect([status, stderr]).toEqual([0, ''])
    },
  )
})
