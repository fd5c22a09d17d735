// svc payouts rehearse: real processes of svc are killed while they pay a file of one's own in a sandbox.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {seed} from '../../support/seed.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'

const header = 'key,customer,from,from-currency,from-method,to,to-currency,to-method,amount'
const customer = '11111111-2222-4333-8444-555555555555'

function writeFile(home: Home): string {
  const rows = ['12.50', '13.50', '14.50'].map(
    (amount, index) => `own-${index},${customer},own-wallet,USDC,SOLANA,own-bank,USD,ACH,${amount}`,
  )
  const file = path.join(home.folder, 'own.csv')
  fs.writeFileSync(file, `${[header, ...rows].join('\n')}\n`)
  return file
}

const rehearse = (home: Home, ...flags: string[]) =>
  run(home, ['payouts', 'rehearse', writeFile(home), '--seed', String(seed % 1000), '--json', ...flags], {
    env: {TMPDIR: home.folder},
  })

const listLeft = (home: Home) => fs.readdirSync(home.folder).filter((name) => name.startsWith('svc-rehearse-'))

describe('svc payouts rehearse', () => {
  it('pays every row once although its processes are killed, and leaves nothing', async () => {
    const home = freshHome()
    const {code, out} = await rehearse(home, '--kills', '2')
    expect(code).toBe(0)
    expect(json(out)).toMatchObject({
      verdict: 'SAFE',
      seed: seed % 1000,
      rows: 3,
      paid: 3,
      unpaid: [],
      wrong: [],
      kills: 2,
      standIns: {customers: 1, accounts: 2},
    })
    expect(listLeft(home)).toEqual([])
    expect(fs.existsSync(`${writeFile(home)}.result.csv`)).toBe(false)
  })

  it('takes rows that say what is to arrive', async () => {
    const home = freshHome()
    const file = path.join(home.folder, 'invoices.csv')
    const rows = ['12.50', '13.50'].map(
      (sum, index) => `own-${index},${customer},own-wallet,USDC,SOLANA,own-bank,USD,ACH,${sum}`,
    )
    fs.writeFileSync(file, `${[header.replace('amount', 'receive'), ...rows].join('\n')}\n`)
    const args = ['payouts', 'rehearse', file, '--seed', String(seed % 1000), '--kills', '1', '--json']
    const {code, out} = await run(home, args, {env: {TMPDIR: home.folder}})
    expect(code).toBe(0)
    expect(json(out)).toMatchObject({verdict: 'SAFE', rows: 2, paid: 2, wrong: []})
  })

  it('takes the caps of a profile, and says which rows they stop', async () => {
    const home = freshHome()
    await run(home, ['profiles', 'set', 'sandbox', '--payment-max', 'USDC=13', '--quiet'])
    const {code, out} = await rehearse(home, '--kills', '0', '--faults', 'none', '--like', 'sandbox')
    expect(code).toBe(9)
    expect(json(out)).toMatchObject({verdict: 'SAFE', like: 'sandbox', paid: 0})
    expect(json(out)['unpaid']).toHaveLength(3)
  })

  it('takes short ids and emails, and what the accounts decide, as a run does', async () => {
    const home = freshHome()
    const file = path.join(home.folder, 'short.csv')
    fs.writeFileSync(
      file,
      'key,customer,from,from-currency,to,amount,max-fee,note\ns-1,4738020a,64fbd491,USDC,e6086267,12.50,,"May, first"\ns-2,zoe.angstrom@example.org,64fbd491,USDC,e6086267,13.50,50%,\n',
    )
    const flags = ['-p', 'sandbox', '--kills', '1', '--faults', 'none', '--json']
    const {code, out, err} = await run(home, ['payouts', 'rehearse', file, ...flags], {env: {TMPDIR: home.folder}})
    expect(err).not.toContain('svc:')
    expect(json(out)).toMatchObject({verdict: 'SAFE', rows: 2, paid: 2, unpaid: []})
    expect(code).toBe(0)
    expect(listLeft(home)).toEqual([])
  })

  it('names every line that is wrong', async () => {
    const home = freshHome()
    const file = path.join(home.folder, 'short.csv')
    const rows = Array.from(
      {length: 12},
      (_, index) => `s-${index},4738020a,64fbd491,${'abcdef'[index % 6]}000${index % 10},1`,
    )
    fs.writeFileSync(file, `key,customer,from,to,amount\n${rows.join('\n')}\n`)
    const {code, err} = await run(home, ['payouts', 'rehearse', file, '-p', 'sandbox'])
    expect(code).toBe(2)
    for (let line = 2; line <= 13; line++) expect(err).toContain(`line ${line}: `)
    expect(err).toContain('has no payment account "a0000" (to)')
  })

  it('rejects what it cannot rehearse before anything runs', async () => {
    const home = freshHome()
    const file = path.join(home.folder, 'short.csv')
    fs.writeFileSync(file, `key,customer,from,to,amount\nk,${customer},a,b,1\n`)
    const {code, err} = await run(home, ['payouts', 'rehearse', file])
    expect(code).toBe(2)
    expect(err).toContain(
      'Line 2 has shortened ids, or lacks currencies or methods, which are looked up at the service',
    )
    expect(err).toContain('No profile is set up')
    expect((await run(home, ['payouts', 'rehearse', file, '--like', 'nobody'])).err).toContain('no profile "nobody"')
  })
})
