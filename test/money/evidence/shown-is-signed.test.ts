// What people see before they sign is what they sign: every change of meaning is shown, and nothing is left out unsaid.
import fs from 'node:fs'
import path from 'node:path'
import {expect, it} from 'vitest'
import {type Team, createTeam} from '../../support/approvals.ts'
import {json, run} from '../../support/svc.ts'
import {createRow, header, zoe} from '../../support/payroll.ts'

// Without the borders and the line breaks of the box.
const readBox = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('│'))
    .map((line) => line.replaceAll('│', '').trim())
    .join(' ')
    .replaceAll(/\s+/g, ' ')

async function approve(team: Team, file: string, content: string, ...flags: string[]): Promise<string> {
  fs.writeFileSync(path.join(team.folder, file), content)
  const {code, err} = await team.approve(team.alice, file, ...flags)
  expect([code, err]).toEqual([0, expect.stringContaining('Approved until')])
  return readBox(err)
}

const toCsv = (...rows: string[]) => `${[header, ...rows].join('\n')}\n`

it('a name that the service has cannot pass for another field or another row', async () => {
  const team = createTeam()
  const add = ['sandbox', 'accounts', 'add', '--customer', zoe, '--type', 'EXTERNAL_BANK_ACCOUNT', '--method', 'ACH']
  const nickname = 'Rent; max fee 1% · a-1: amount 1.00 USDC'
  const to = String(
    json((await run(team.alice.home, [...add, '--nickname', nickname, '--json'])).out)['paymentAccountId'],
  )
  const box = await approve(team, 'payroll.csv', toCsv(createRow('a-1', {maxFee: '90%'}), createRow('b-1', {to})))
  expect(box).toContain('Rent, max fee 1% , a-1: amount 1.00 USDC')
  expect(box).not.toContain('; max fee 1% ')
  expect(box.match(/· (a|b)-1: \w+/g)).toEqual(['· a-1: to', '· b-1: to'])
})

it('a long payout file says what is left out, counts every payee who is new, and shows all of it with --all', async () => {
  const team = createTeam()
  const accounts: string[] = []
  for (let index = 0; index < 21; index++) {
    const type = ['--type', 'EXTERNAL_BANK_ACCOUNT', '--method', 'ACH']
    const add = ['sandbox', 'accounts', 'add', '--customer', zoe, ...type]
    const {out} = await run(team.alice.home, [...add, '--json'])
    accounts.push(String(json(out)['paymentAccountId']))
  }
  const pays = toCsv(...accounts.map((to, index) => createRow(`new-${index}`, {to})))
  const short = await approve(team, 'payroll.csv', pays)
  expect(short).toContain('Payees 21 (21 new to this journal)')
  expect(short).toContain('… and 13 more new payees; --all shows everything')
  expect(short).toContain('… and 1 more row; --all shows everything')
  const whole = await approve(team, 'payroll.csv', pays, '--all')
  for (const account of accounts) expect(whole.split(account).length).toBeGreaterThan(2)
})
