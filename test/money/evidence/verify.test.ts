// What an auditor does: verifies the journal, signs its head, and compares with it later.
import {execFileSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {createKey} from '../../support/approvals.ts'
import {inSandbox, payment} from '../../support/payments.ts'
import {type Home, json, run, sharedHome} from '../../support/svc.ts'

let home: Home
let folder: string
const inFolder = (name: string) => path.join(folder, name)
const journalFile = () => inFolder('journal.sqlite')

const svc = (...args: string[]) => run(home, args, {env: {SVC_JOURNAL: journalFile()}})

beforeAll(async () => {
  home = sharedHome()
  folder = fs.mkdtempSync(path.join(home.folder, 'audit-'))
  for (const [key, amount] of [
    ['rent', '12.50'],
    ['food', '13'],
  ] as const) {
    const {code, err} = await svc(...payment(key, amount), ...inSandbox, '--yes')
    if (code !== 0) throw new Error(err)
  }
  fs.writeFileSync(inFolder('signers'), `ann@example.com ${createKey(inFolder('ann'))}\n`)
})

afterAll(() => fs.rmSync(home.folder, {recursive: true, force: true}))

describe('svc journal verify', () => {
  it('finds with a signed head that the end was cut off, or that all was written anew', async () => {
    const head = inFolder('november.head')
    const sign = ['--sign', '--signing-key', inFolder('ann'), '--out', head]
    const signed = await svc('journal', 'verify', ...sign, '--json')
    expect(signed).toMatchObject({code: 0})
    expect(json(signed.out)).toMatchObject({
      isIntact: true,
      signed: {files: [head, `${head}.sig`], by: expect.stringMatching(/^SHA256:/)},
    })
    // OpenSSH alone can verify it as well.
    const signers = inFolder('signers')
    const verifying = ['-f', signers, '-I', 'ann@example.com', '-n', 'svc-journal', '-s', `${head}.sig`]
    execFileSync('ssh-keygen', ['-Y', 'verify', ...verifying], {input: fs.readFileSync(head)})
    const whole = await svc('journal', 'verify', '--head', head, '--signers', signers, '--json')
    expect(whole).toMatchObject({code: 0})
    expect(json(whole.out)).toMatchObject({head: {signature: 'good, by ann@example.com'}})

    // Everything of the second payment is removed, and the end of the chain and the sum of the day are
    // set back: the chain alone cannot show it.
    const cut = inFolder('cut.sqlite')
    fs.copyFileSync(journalFile(), cut)
    const database = new DatabaseSync(cut)
    database.exec(`delete from payments where key = 'food'; delete from history where number >= (select min(number) from history where key = 'food');
      update chains set number = (select max(number) from history), hash = (select hash from history order by number desc limit 1);
      update spending set amount = (select amount from payments)`)
    database.close()
    const env = {SVC_JOURNAL: cut}
    expect(await run(home, ['journal', 'verify'], {env})).toMatchObject({code: 0})
    const found = await run(home, ['journal', 'verify', '--head', head, '--json'], {env})
    expect(found.code).toBe(12)
    expect(json(found.out)).toMatchObject({isIntact: false, finding: {kind: 'truncated', entry: {chain: 0}}})
    expect(json(found.err)).toMatchObject({error: 'NOT_INTACT', exitCode: 12})

    // Another journal with as many entries.
    const other = {env: {SVC_JOURNAL: inFolder('other.sqlite')}}
    for (const amount of ['7.25', '8']) {
      await run(home, [...payment(`other-${amount}`, amount), ...inSandbox, '--yes'], other)
    }
    const rewritten = await run(home, ['journal', 'verify', '--head', head, '--json'], other)
    expect(rewritten.code).toBe(12)
    expect(json(rewritten.out)).toMatchObject({finding: {kind: 'rewritten'}})
  })

  it('refuses what it cannot verify', async () => {
    fs.writeFileSync(inFolder('text'), 'hello')
    expect(await svc('journal', 'verify', '--head', inFolder('text'))).toMatchObject({code: 2})
    expect(await svc('journal', 'verify', '--head', inFolder('none.head'))).toMatchObject({code: 2})
    expect(await svc('journal', 'verify', '--sign')).toMatchObject({code: 2})
    expect(await svc('journal', 'verify', '--out', inFolder('x.head'))).toMatchObject({code: 2})
    expect(await run(home, ['journal', 'verify'], {env: {SVC_JOURNAL: inFolder('none.sqlite')}})).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is no journal'),
    })
    expect(fs.existsSync(inFolder('none.sqlite'))).toBe(false)
  })
})
