// A proof calls an approval only what somebody signed for this very payment. Entries that say otherwise are chained correctly here, as
// whoever runs payments could write them into his own journal.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {type Statement, digestParts, renderStatement} from '../../src/controls/statement.ts'
import {type Proof, type ShownEntry, digestProof, formatProof} from '../../src/payments/audit/proof.ts'
import {digestPayment} from '../../src/payments/controls/approve-plan.ts'
import {openJournal} from '../../src/payments/journal/open-journal.ts'
import type {PaymentContent} from '../../src/payments/protocol/payment.ts'
import {createRow, header} from '../commands/payouts/payroll.ts'
import {type Person, type Team, createTeam, requireApprovals, runOpenSsh} from '../support/approvals.ts'
import {payment} from '../support/payments.ts'
import {freshHome, json, run, temporaryFolder} from '../support/svc.ts'

const plan = 'rent.yaml'

// Carol pays what one other has to approve. All of them use one journal.
async function createPayer(): Promise<Team> {
  const team = createTeam({env: {SVC_JOURNAL: path.join(temporaryFolder(), 'journal.sqlite')}})
  await requireApprovals(team, team.carol, '--approvals', '1')
  return team
}

async function payApproved(team: Team, key = 'rent-1', {file = plan, amount = '5'} = {}): Promise<void> {
  await team.run(team.carol, [...payment(key, amount), '--write-plan', file])
  expect((await team.approve(team.alice, file)).code).toBe(0)
  expect((await team.run(team.carol, ['pay', '-f', file, '--json'])).code).toBe(0)
}

interface Verified {
  code: number | null
  approvals: unknown
  others: unknown
  sentence: string
}

// Proves a payment and has the proof verified elsewhere. A proof that svc refuses to write shows nothing either.
async function prove(team: Team, key: string, file = 'proof.json'): Promise<Verified> {
  const proved = await team.run(team.carol, ['journal', 'prove', key, '--out', file, '--json'])
  if (proved.code !== 0) return {code: proved.code, approvals: undefined, others: undefined, sentence: proved.err}
  const {code, out, err} = await run(freshHome(), ['journal', 'verify', file, '--json'], {cwd: team.folder})
  const {approvals, otherApprovals: others} = json(out)
  return {code, approvals, others, sentence: err}
}

const findJournal = ({carol}: Team) => carol.home.env['SVC_JOURNAL'] ?? ''

type Data = Record<string, unknown>

// Writes a decision into the journal, which the chain covers like any other.
async function record(team: Team, about: Record<string, string>, data: Data, kind = 'APPROVAL_USED'): Promise<void> {
  const journal = await openJournal({text: findJournal(team)})
  await journal.recordDecision({kind, about, who: {user: 'carol', host: 'till'}, data})
  await journal.close()
}

function signAs({keyFile, name}: Person, statement: Statement, namespace = 'svc-approval') {
  const text = renderStatement(statement)
  const signature = runOpenSsh(['-Y', 'sign', '-q', '-n', namespace, '-f', keyFile], text)
  return {signer: `${name}@example.com`, statement: text, signature}
}

async function readUsed(team: Team, key: string): Promise<{serviceId: string; data: Data}> {
  const shown = json((await team.run(team.carol, ['journal', 'show', key, '--json'])).out)
  const history = shown['history'] as Array<{detail?: {kind?: string; data?: Data}}>
  const used = history.find(({detail}) => detail?.kind === 'APPROVAL_USED')
  return {serviceId: String(shown['place']), data: used?.detail?.data ?? {}}
}

// What people sign if they approve the payment rent-1.
async function readOwnPart(team: Team): Promise<{serviceId: string; part: Buffer}> {
  const shown = json((await team.run(team.carol, ['journal', 'show', 'rent-1', '--json'])).out)
  const {customerId, source, destination} = shown as unknown as PaymentContent
  const content = {customerId, source, destination}
  const part = digestPayment({key: 'rent-1', content, limits: {}, isGuaranteed: false})
  return {serviceId: String(shown['place']), part}
}

describe('an entry that says an approval was used', () => {
  it.each<[what: string, change: Partial<Statement>, sentence: RegExp]>([
    ['with a withdrawal', {action: 'withdrawal', expiresAt: undefined}, /bob@example\.com signed a withdrawal/],
    ['for another service', {serviceId: 'https://other.example.com'}, /for another service/],
    ['for something of another kind', {kind: 'rules'}, /something of another kind/],
    ['for other content', {digest: 'ab'.repeat(32)}, /for other content/],
  ])('%s is no approval of the payment', async (_, change, sentence) => {
    const team = await createPayer()
    await payApproved(team)
    const {serviceId, data} = await readUsed(team, 'rent-1')
    const nowMs = Date.now()
    const approval: Statement = {
      action: 'approval',
      serviceId,
      kind: 'payment',
      digest: String(data['digest']),
      user: 'bob@laptop',
      givenAt: nowMs - 1000,
      expiresAt: nowMs + 3_600_000,
    }
    expect(await prove(team, 'rent-1')).toMatchObject({code: 0, approvals: [{signer: 'alice@example.com'}]})
    const given = signAs(team.bob, {...approval, ...change})
    await record(team, {serviceId, key: 'rent-1'}, {...data, approvals: [given]})
    expect(await prove(team, 'rent-1')).toEqual({
      code: 12,
      approvals: undefined,
      others: undefined,
      sentence: expect.stringMatching(sentence),
    })
  })

  it('and has the digest of something else is no approval of the payment', async () => {
    const team = await createPayer()
    await payApproved(team)
    await payApproved(team, 'food-1', {file: 'food.yaml', amount: '7'})
    const {data} = await readUsed(team, 'food-1')
    const {serviceId} = await readUsed(team, 'rent-1')
    // Everything about it is true, except that it is not about this payment.
    await record(team, {serviceId, key: 'rent-1'}, data)
    expect(await prove(team, 'rent-1')).toMatchObject({
      code: 0,
      approvals: [{signer: 'alice@example.com', covers: 'this payment'}],
      others: [{signer: 'alice@example.com', reason: 'it is for other content than the payment has'}],
    })
    const page = await prove(team, 'rent-1', 'proof.html')
    expect(page.code).toBe(0)
    expect(fs.readFileSync(path.join(team.folder, 'proof.html'), 'utf8')).toMatch(/not an approval of this payment/)
  })

  it('of a file is no approval of a payment that only its list of keys has', async () => {
    const team = await createPayer()
    await payApproved(team)
    await payApproved(team, 'food-1', {file: 'food.yaml', amount: '7'})
    const {data} = await readUsed(team, 'food-1')
    const {serviceId} = await readUsed(team, 'rent-1')
    const kind = 'payouts' as const
    const digest = 'ab'.repeat(32)
    const nowMs = Date.now()
    const statement = {serviceId, kind, digest, user: 'bob@laptop', givenAt: nowMs - 1000}
    for (const given of [
      signAs(team.bob, {...statement, action: 'approval', expiresAt: nowMs + 3_600_000}),
      signAs(team.bob, {...statement, action: 'withdrawal'}),
    ]) {
      await record(team, {file: 'other.csv'}, {kind, digest, approvals: [given], keys: ['rent-1'], parts: [digest]})
    }
    await record(team, {file: 'food.yaml'}, {...data, keys: ['rent-1']})
    expect(await prove(team, 'rent-1')).toMatchObject({
      code: 0,
      approvals: [{signer: 'alice@example.com'}],
      others: undefined,
    })
  })

  it('with a list of rows that nobody signed is no approval', async () => {
    const team = await createPayer()
    await payApproved(team)
    const {serviceId, part} = await readOwnPart(team)
    const digest = 'ab'.repeat(32)
    const givenAt = Date.now() - 1000
    const statement = {serviceId, kind: 'payouts', digest, user: 'bob@laptop', givenAt} as const
    const given = signAs(team.bob, {...statement, action: 'approval', expiresAt: givenAt + 3_600_000})
    await record(team, {file: 'x.csv'}, {kind: 'payouts', digest, approvals: [given], parts: [part.toString('hex')]})
    expect(await prove(team, 'rent-1')).toMatchObject({code: 0, approvals: [{signer: 'alice@example.com'}]})
  })

  it('counts once for a person, and not after it expired', async () => {
    const team = await createPayer()
    await payApproved(team)
    const {serviceId, data} = await readUsed(team, 'rent-1')
    const digest = String(data['digest'])
    const nowMs = Date.now()
    const subject = {action: 'approval', serviceId, kind: 'payment', digest, user: 'x@y'} as const
    const again = signAs(team.alice, {...subject, givenAt: nowMs - 5000, expiresAt: nowMs + 3_600_000})
    const expired = signAs(team.bob, {...subject, givenAt: nowMs - 7_200_000, expiresAt: nowMs - 3_600_000})
    await record(team, {serviceId, key: 'rent-1'}, {...data, approvals: [again, expired]})
    expect(await prove(team, 'rent-1')).toMatchObject({
      code: 0,
      approvals: [{signer: 'alice@example.com'}],
      others: [
        {signer: 'alice@example.com', reason: 'the same person has approved already'},
        {signer: 'bob@example.com', reason: 'it had expired when it was used'},
      ],
    })
  })

  it('of somebody else under the name of a signer does not hold for those who know the signers', async () => {
    const team = createTeam({env: {SVC_JOURNAL: path.join(temporaryFolder(), 'journal.sqlite')}})
    expect((await team.run(team.carol, payment('rent-1', '5'))).code).toBe(0)
    const {serviceId, part} = await readOwnPart(team)
    const digest = digestParts([part])
    const givenAt = Date.now() - 1000
    const statement = {action: 'approval', serviceId, kind: 'payment', digest, user: 'x@y', givenAt} as const
    const given = signAs(team.alice, {...statement, expiresAt: givenAt + 3_600_000})
    const data = {kind: 'payment', digest, approvals: [{...given, signer: 'bob@example.com'}]}
    await record(team, {serviceId, key: 'rent-1'}, data)
    expect((await team.run(team.carol, ['journal', 'head', '--signing-key', team.carol.keyFile])).code).toBe(0)
    await team.run(team.carol, ['journal', 'prove', 'rent-1', '--out', 'proof.json'])
    const args = ['journal', 'verify', 'proof.json', '--signers', team.signersFile, '--json']
    const verified = await run(freshHome(), args, {cwd: team.folder})
    expect([verified.code, json(verified.out)]).toEqual([
      12,
      expect.objectContaining({
        isIntact: false,
        finding: 'The approval of bob@example.com was signed by alice@example.com',
      }),
    ])
  })
})

describe('the rows of an approved file', () => {
  it('show in each proof that they were approved, and nothing of the others', async () => {
    const team = await createPayer()
    const rows = [createRow('ann-1', {amount: '2.50'}), createRow('bob-secret-2', {amount: '7.25'})]
    fs.writeFileSync(path.join(team.folder, 'payroll.csv'), `${[header, ...rows].join('\n')}\n`)
    expect((await team.approve(team.alice, 'payroll.csv')).code).toBe(0)
    const paid = await team.run(team.carol, ['payouts', 'run', 'payroll.csv', '--allow-duplicates'])
    expect(paid.code).toBe(0)
    for (const file of ['proof.json', 'proof.html']) {
      expect(await prove(team, 'ann-1', file)).toMatchObject({
        code: 0,
        approvals: [{signer: 'alice@example.com', covers: 'a file of 2 rows with this payment'}],
        others: undefined,
      })
      const text = fs.readFileSync(path.join(team.folder, file), 'utf8')
      expect(text).not.toContain('bob-secret-2')
      expect(text).not.toContain('7.25')
    }
  })
})

describe('a proof that somebody put together himself', () => {
  const readProof = (team: Team, name: string) =>
    JSON.parse(fs.readFileSync(path.join(team.folder, name), 'utf8')) as Proof

  // Shows an entry that the chain has, and that is hidden in the proof of the payment, since it is about something else.
  async function showEntry(team: Team, proof: Proof, entry: ShownEntry): Promise<[code: number | null, err: string]> {
    const {digest: _, ...content} = structuredClone(proof)
    const [chain] = content.chains
    if (!chain) throw new Error('the proof has no chain')
    expect(chain.links[entry.number - chain.first]).toEqual(expect.any(String))
    chain.links[entry.number - chain.first] = entry
    fs.writeFileSync(path.join(team.folder, 'forged.json'), formatProof({...content, digest: digestProof(content)}))
    const {code, err} = await run(freshHome(), ['journal', 'verify', 'forged.json'], {cwd: team.folder})
    return [code, err]
  }

  it('may not show an approval or an entry of something else, though the chain has it', async () => {
    const team = await createPayer()
    await payApproved(team)
    fs.writeFileSync(path.join(team.folder, 'payroll.csv'), `${[header, createRow('ann-1')].join('\n')}\n`)
    expect((await team.approve(team.bob, 'payroll.csv')).code).toBe(0)
    expect((await team.run(team.carol, ['payouts', 'run', 'payroll.csv'])).code).toBe(0)
    expect(await prove(team, 'ann-1', 'ann.json')).toMatchObject({code: 0, approvals: [{signer: 'bob@example.com'}]})
    expect(await prove(team, 'rent-1', 'rent.json')).toMatchObject({
      code: 0,
      approvals: [{signer: 'alice@example.com'}],
    })
    const [ann, rent] = [readProof(team, 'ann.json'), readProof(team, 'rent.json')]
    const shown = (ann.chains[0]?.links ?? []).filter((link) => typeof link !== 'string')
    const approval = shown.find(({key}) => key === '')
    const created = shown.find(({what}) => what === 'CREATED')
    if (!approval || !created) throw new Error('the proof has no such entries')
    expect(await showEntry(team, rent, approval)).toEqual([
      12,
      expect.stringContaining('is no approval of this payment: it is for something else'),
    ])
    expect(await showEntry(team, rent, created)).toEqual([
      12,
      expect.stringContaining('is about something else than the payment'),
    ])
  })
})

describe('a payment whose content was changed', () => {
  it('has the approval of what was paid, and not that of what it was before', async () => {
    const team = await createPayer()
    const write = (amount: string) =>
      team.run(team.carol, [...payment('rent-1', amount), '--max-fee', '0.000001', '--write-plan', plan])
    await write('5')
    await team.approve(team.alice, plan)
    // The fee is too high, so nothing is made.
    expect((await team.run(team.carol, ['pay', '-f', plan])).code).toBe(10)
    fs.rmSync(path.join(team.folder, plan))
    await team.run(team.carol, [...payment('rent-1', '6'), '--write-plan', plan])
    await team.approve(team.bob, plan)
    expect((await team.run(team.carol, ['pay', '-f', plan, '--json'])).code).toBe(0)
    expect(await prove(team, 'rent-1')).toMatchObject({
      code: 0,
      approvals: [{signer: 'bob@example.com', covers: 'this payment'}],
      others: [{signer: 'alice@example.com', reason: 'it is for other content than the payment has'}],
    })
  })
})

describe('the approval of every slot', () => {
  it('is one of each payment', async () => {
    const team = await createPayer()
    await team.run(team.carol, [...payment('rent-{date}', '5'), '--write-plan', plan])
    expect((await team.approve(team.alice, plan)).code).toBe(0)
    expect((await team.run(team.carol, ['pay', '-f', plan])).code).toBe(0)
    const {key} = json((await team.run(team.carol, ['journal', 'list', '-o', 'jsonl'])).out) as {key: string}
    expect(key).toMatch(/^rent-\d{4}-\d\d-\d\d$/)
    expect(await prove(team, key)).toMatchObject({
      code: 0,
      approvals: [{signer: 'alice@example.com', covers: 'every payment of rent-{date}'}],
    })
  })
})

describe('the approval of what is to arrive', () => {
  const invoice = (...flags: string[]) => [
    ...payment('invoice-1', '').filter((word) => word !== '--amount' && word !== ''),
    '--receive',
    '5',
    ...flags,
  ]

  it('needs the most that may be sent, binds it, and is one of the payment whatever amount brought it', async () => {
    const team = await createPayer()
    const open = await team.run(team.carol, [...invoice(), '--write-plan', 'open.yaml'])
    expect(open.code).toBe(0)
    const unsigned = await team.approve(team.alice, 'open.yaml')
    expect(unsigned.code).toBe(2)
    expect(unsigned.err).toContain('not how much may be sent at most')
    expect((await team.run(team.carol, ['pay', '-f', 'open.yaml'])).code).toBe(2)
    await team.run(team.carol, [...invoice('--max-send', '6'), '--write-plan', plan])
    const approved = await team.approve(team.alice, plan)
    expect(approved.code).toBe(0)
    const changed = fs.readFileSync(path.join(team.folder, plan), 'utf8').replace('maxSend: "6"', 'maxSend: "60"')
    fs.writeFileSync(path.join(team.folder, 'changed.yaml'), changed)
    expect((await team.run(team.carol, ['pay', '-f', 'changed.yaml'])).code).toBe(10)
    expect((await team.run(team.carol, ['pay', '-f', plan, '--json'])).code).toBe(0)
    expect(await prove(team, 'invoice-1')).toMatchObject({
      code: 0,
      approvals: [{signer: 'alice@example.com', covers: 'this payment'}],
      others: undefined,
    })
  })
})

describe('a withdrawal', () => {
  it('is in the journal and in the proof, with its signature', async () => {
    const team = await createPayer()
    await payApproved(team)
    expect((await team.approve(team.alice, plan, '--withdraw')).code).toBe(0)
    for (const file of ['proof.json', 'proof.html']) {
      const {code, approvals, others} = await prove(team, 'rent-1', file)
      expect([code, approvals, others]).toEqual([
        0,
        [expect.objectContaining({signer: 'alice@example.com', withdrawnAt: expect.stringMatching(/^\d{4}-/)})],
        undefined,
      ])
      expect(fs.readFileSync(path.join(team.folder, file), 'utf8')).toContain('svc withdrawal, version 1')
    }
    const page = fs.readFileSync(path.join(team.folder, 'proof.html'), 'utf8')
    expect(page).toContain('Withdrawn by <strong>alice@example.com</strong>')
    const table = await run(freshHome(), ['journal', 'verify', 'proof.html'], {cwd: team.folder})
    expect(table.out).toMatch(/alice@example\.com: good, by SHA256:\S+, for this payment, withdrawn 2/)
  })

  it('before an approval was used keeps it from being one', async () => {
    const team = await createPayer()
    await payApproved(team)
    const {serviceId, data} = await readUsed(team, 'rent-1')
    const digest = String(data['digest'])
    const givenAt = Date.now() - 60_000
    const subject = {serviceId, kind: 'payment', digest, user: 'bob@laptop', givenAt} as const
    const approval = signAs(team.bob, {...subject, action: 'approval', expiresAt: givenAt + 3_600_000})
    const withdrawal = signAs(team.bob, {...subject, action: 'withdrawal', givenAt: givenAt + 1000})
    await record(team, {file: plan}, {kind: 'payment', digest, withdrawal}, 'APPROVAL_WITHDRAWN')
    await record(team, {serviceId, key: 'rent-1'}, {...data, approvals: [approval]})
    expect(await prove(team, 'rent-1')).toMatchObject({
      code: 0,
      approvals: [{signer: 'alice@example.com'}],
      others: [{signer: 'bob@example.com', reason: 'it was withdrawn before it was used'}],
    })
  })

  it('that nobody signed, or of something else, does not hold', async () => {
    const team = await createPayer()
    await payApproved(team)
    const {serviceId, data} = await readUsed(team, 'rent-1')
    const digest = String(data['digest'])
    const statement = {
      action: 'withdrawal',
      serviceId,
      kind: 'payment',
      digest,
      user: 'x',
      givenAt: Date.now(),
    } as const
    const forged = {...signAs(team.bob, {...statement, user: 'y'}), statement: renderStatement(statement)}
    await record(team, {file: plan}, {kind: 'payment', digest, withdrawal: forged}, 'APPROVAL_WITHDRAWN')
    expect(await prove(team, 'rent-1')).toMatchObject({
      code: 12,
      sentence: expect.stringContaining('the signature of bob@example.com is wrong'),
    })
  })
})
