// Moves history to an archive: what stays, what still verifies, and which changes are found, with and without the archive.
import fs from 'node:fs'
import {describe, expect, it} from 'vitest'
import {archiveHistory} from '../../../src/payments/audit/archive-journal.ts'
import {buildProof} from '../../../src/payments/audit/build-proof.ts'
import {joinArchives} from '../../../src/payments/audit/archive-file.ts'
import {checkJournal} from '../../../src/payments/audit/check-journal.ts'
import {formatHead, formatProof, headSigned} from '../../../src/payments/audit/proof.ts'
import {verifyProof} from '../../../src/payments/audit/verify-proof.ts'
import {toArchivingDecision} from '../../../src/payments/journal/archivings.ts'
import {walkEntries} from '../../../src/payments/journal/chain.ts'
import {findEntry} from '../../../src/payments/journal/entries.ts'
import {describeThisProcess} from '../../../src/payments/journal/journal.ts'
import {copyJournal} from '../../../src/payments/journal/copy-journal.ts'
import {openJournal, withChainReader, withJournal} from '../../../src/payments/journal/open-journal.ts'
import {usePostgres} from '../../support/postgres.ts'
import {seed} from '../../support/seed.ts'
import {prepareDatabase} from '../journal/stores.ts'
import {createGenerator} from '../random-runs.ts'
import {
  type TestJournal,
  createDatabaseJournal,
  createFileJournal,
  fill,
  newFile,
  prune,
  soon,
  verify,
} from './archived-journal.ts'
import {serviceId} from './chained-journal.ts'

const getAddress = usePostgres(prepareDatabase)

const stores = [
  ['a file', createFileJournal],
  ['PostgreSQL', () => createDatabaseJournal(getAddress())],
] as const

const readEntries = ({address}: TestJournal) =>
  withChainReader(address, async (reader) => Array.fromAsync(walkEntries(reader)))

// The payments that fillJournal leaves in a state in which nothing is under way.
const endedKeys = ['key-0-1', 'key-0-2', 'key-0-3', 'key-1-1', 'key-1-2', 'key-1-3']

const written = {at: new Date().toISOString(), by: {user: 'ann', host: 'till'}, svc: 'test'}

describe.each(stores)('the history of a journal in %s', (_, create) => {
  it('is exported without a change of the journal, and the export verifies', async () => {
    const journal = await create()
    await fill(journal)
    const before = await readEntries(journal)
    const file = newFile()
    const archive = await archiveHistory(journal.address, {file, svc: 'test', sinceMs: 0, beforeMs: soon()})
    expect(archive).toMatchObject({entries: before.length, payments: 10, isPruned: false})
    expect(await readEntries(journal)).toEqual(before)
    expect(fs.statSync(file).mode & 0o777).toBe(0o600)
    expect(await verify(journal, {archives: [file]})).toMatchObject({
      entries: before.length,
      sharedEntries: before.length,
      archived: {entries: 0, payments: 0},
    })
    const early = await archiveHistory(journal.address, {file: newFile(), svc: 'test', sinceMs: 0, beforeMs: 1})
    expect(early.entries).toBe(0)
    await expect(archiveHistory(journal.address, {file, svc: 'test', beforeMs: soon()})).rejects.toThrow('exists')
  })

  it('is pruned to what is open and what people decided, and verifies with the archive and without it', async () => {
    const journal = await create()
    await fill(journal)
    const before = await readEntries(journal)
    const old = await verify(journal)
    const file = newFile()
    const archive = await prune(journal, file)
    expect(archive).toMatchObject({payments: endedKeys.length, isPruned: true})
    const after = await readEntries(journal)
    expect(after).toHaveLength(before.length - archive.entries + 1)
    const left = after.filter(({what}) => what !== 'DECISION')
    expect(left.every(({key}) => !endedKeys.includes(key))).toBe(true)
    expect(after.filter(({what}) => what === 'DECISION')).toHaveLength(11)

    const without = await verify(journal)
    expect(without.finding).toBeUndefined()
    expect(without).toMatchObject({payments: 10, archived: {entries: archive.entries, payments: endedKeys.length}})
    const whole = await verify(journal, {archives: [file], given: old.heads})
    expect(whole.finding).toBeUndefined()
    expect(whole).toMatchObject({
      entries: before.length + 1,
      payments: 10,
      archived: {entries: 0, payments: 0},
      uncompared: [],
    })
    expect(whole.heads).toEqual(without.heads)

    // Nothing is left to prune, and no file is kept.
    const again = newFile('again.jsonl')
    expect(await prune(journal, again)).toMatchObject({entries: 0, isPruned: false})
    expect(fs.existsSync(again)).toBe(false)
  })

  it('goes on for a payment that is paid anew, and is archived a second time', async () => {
    const journal = await create()
    await fill(journal, 1)
    const first = newFile()
    await prune(journal, first)
    await withJournal(journal.address, async (opened) => {
      const acquired = await opened.acquireLease(serviceId, 'key-0-1', describeThisProcess())
      if (!('lease' in acquired)) throw new Error('the lease is held')
      const {lease, payment} = acquired
      const quoted = await opened.commit(lease, {...payment, state: 'QUOTED'}, {what: 'QUOTED'})
      await opened.commit(lease, {...quoted, state: 'STOPPED'}, {what: 'STOPPED'})
      await opened.releaseLease(lease)
    })
    const files = [first, newFile()]
    const check = async (archives: string[], payments: number) => {
      const result = await verify(journal, {archives})
      expect(result.finding).toBeUndefined()
      expect(result.archived.payments).toBe(payments)
    }
    await check([], 3)
    await check([first], 0)
    await prune(journal, files[1])
    await check([], 3)
    await check(files, 0)
    await check(files.toReversed(), 0)
    await check([files[1] ?? ''], 3)
  })

  it('keeps what a person settled, so that he can settle it again', async () => {
    const journal = await create()
    await fill(journal, 1)
    await withJournal(journal.address, async (opened) => {
      const acquired = await opened.acquireLease(serviceId, 'key-0-4', describeThisProcess())
      if (!('lease' in acquired)) throw new Error('the lease is held')
      const {lease, payment} = acquired
      const change = {...payment, state: 'CREATED' as const, transactionId: 'tx'}
      await opened.commit(lease, change, {what: 'ADOPTED', detail: {by: 'a person', why: 'ticket 4711'}})
      await opened.releaseLease(lease)
    })
    expect(await prune(journal)).toMatchObject({payments: 3})
    const left = (await readEntries(journal)).filter(({key}) => key === 'key-0-4')
    expect(left.map(({what}) => what)).toContain('INTENDED')
  })

  it('says which archive a payment is in, and proves it with that archive', async () => {
    const journal = await create()
    await fill(journal)
    const file = newFile()
    const {digest} = await prune(journal, file)
    const shown = await findEntry({serviceId, journal: journal.address}, 'key-0-2')
    expect(shown.archives).toEqual([{file: 'archive.jsonl', digest}])
    expect((await findEntry({serviceId, journal: journal.address}, 'key-0-4')).archives).toBeUndefined()

    const request = {serviceId, key: 'key-0-2', written}
    const build = (archives: string[]) =>
      withChainReader(journal.address, (reader) => buildProof(joinArchives(reader, archives), request))
    await expect(build([])).rejects.toThrow('archive.jsonl')
    const proof = await build([file])
    if (!proof) throw new Error('there is no proof')
    expect(verifyProof(formatProof(proof)).payment.key).toBe('key-0-2')
    // A proof of an open payment passes over the others.
    await expect(
      withChainReader(journal.address, (reader) => buildProof(reader, {...request, key: 'key-1-4'})),
    ).resolves.toBeDefined()
  })

  it('is compared with earlier heads: signed ones always, others with the archive', async () => {
    const journal = await create()
    await fill(journal, 1)
    const early = await verify(journal)
    await withJournal(journal.address, (opened) =>
      opened.recordDecision({
        kind: headSigned,
        about: {head: 'digest'},
        who: {user: 'ann', host: 'till'},
        data: {head: formatHead({at: 'now', chains: early.heads}), signature: 'none'},
      }),
    )
    const entries = await readEntries(journal)
    const file = newFile()
    await prune(journal, file)
    const moved = entries.find(({key, what}) => key === 'key-0-2' && what === 'QUOTED')
    if (!moved) throw new Error('there is no such entry')
    const inside = {chain: moved.chain, number: moved.number, hash: moved.hash}
    expect(await verify(journal, {given: early.heads})).toMatchObject({uncompared: []})
    expect(await verify(journal, {given: [inside]})).toMatchObject({uncompared: [{head: inside}]})
    expect(await verify(journal, {given: [inside], archives: [file]})).toMatchObject({uncompared: []})
    const rewritten = {...inside, hash: '0'.repeat(64)}
    expect((await verify(journal, {given: [rewritten], archives: [file]})).finding).toMatchObject({kind: 'rewritten'})
    expect((await verify(journal, {starts: early.heads})).finding).toBeUndefined()

    const headFile = newFile('old.head')
    fs.writeFileSync(headFile, formatHead({at: 'now', chains: [inside]}))
    await expect(checkJournal(journal.address, {headFile, archives: []})).rejects.toThrow('cannot be compared')
    await expect(checkJournal(journal.address, {headFile, isOnlyAfter: true})).rejects.toThrow('cannot be compared')
  })

  it('is not pruned if somebody changed it', async () => {
    const journal = await create()
    await fill(journal, 1)
    await journal.run(`update ${journal.history} set what = 'ARMED' where key = 'key-0-2' and what = 'QUOTED'`)
    const file = newFile()
    await expect(prune(journal, file)).rejects.toThrow('not intact')
    expect(fs.existsSync(file)).toBe(false)
  })
})

const findKind = async (journal: TestJournal, archives: string[] = []) =>
  (await verify(journal, {archives})).finding?.kind

describe.each(stores)('whoever changes a pruned journal in %s', (_, create) => {
  const prepare = async () => {
    const journal = await create()
    await fill(journal, 1)
    const file = newFile()
    await prune(journal, file)
    return {journal, file}
  }

  it('is found, whatever row it is, some with the archive alone', async () => {
    const {journal, file} = await prepare()
    const {run, payments, history} = journal
    await run(`update ${payments} set amount = '6' where key = 'key-0-2'`)
    expect(await findKind(journal)).toBeUndefined()
    expect(await findKind(journal, [file])).toBe('changed')
    await run(`update ${payments} set amount = '5' where key = 'key-0-2'`)
    expect(await findKind(journal, [file])).toBeUndefined()

    await run(`create table ${payments}_copy as select * from ${payments} where key = 'key-0-2'`)
    await run(`delete from ${payments} where key = 'key-0-2'`)
    expect(await findKind(journal)).toBe('removed')
    await run(`insert into ${payments} select * from ${payments}_copy`)
    await run(`update ${payments}_copy set key = 'forged'`)
    await run(`insert into ${payments} select * from ${payments}_copy`)
    await run(`drop table ${payments}_copy`)
    expect(await findKind(journal)).toBe('inserted')
    await run(`delete from ${payments} where key = 'forged'`)

    await run(`delete from ${history} where key = 'key-0-0' and what = 'INTENDED'`)
    expect(await findKind(journal, [file])).toBe('removed')
  })

  it('is found if he names others as archived', async () => {
    const {journal} = await prepare()
    const entries = await readEntries(journal)
    const open = entries.find(({key, what}) => key === '' && what === 'DECISION')
    if (!open) throw new Error('there is no such entry')
    const {chain, number, hash} = open
    const archived = {file: 'forged.jsonl', digest: '0'.repeat(64), before: '2026-01-01', entries: 1, payments: 0}
    const decision = toArchivingDecision(
      {...archived, runs: [{chain, first: number, last: number, hash}]},
      {user: 'eve', host: 'till'},
      undefined,
    )
    await withJournal(journal.address, (opened) => opened.recordDecision(decision))
    expect(await findKind(journal)).toBe('inserted')
    // Whoever removes it as well has to show an archive that he does not have.
    const {number: column, history} = journal
    const where = journal.history === 'history' ? '' : ` and chain = ${chain}`
    await journal.run(`delete from ${history} where ${column} = ${number}${where}`)
    const found = await verify(journal)
    expect(found.finding).toBeUndefined()
    const forged = newFile('forged.jsonl')
    fs.writeFileSync(forged, `{"format":"svc journal archive 1"}\n${JSON.stringify(open)}\n{"end":true,"entries":1}\n`)
    expect(await findKind(journal, [forged])).toBe('changed')
  })

  it('is found if he names an archive to hide a payment that he inserts', async () => {
    const {journal} = await prepare()
    const {payments} = journal
    await journal.run(`create table ${payments}_copy as select * from ${payments} where key = 'key-0-2'`)
    await journal.run(`update ${payments}_copy set key = 'forged'`)
    await journal.run(`insert into ${payments} select * from ${payments}_copy`)
    await journal.run(`drop table ${payments}_copy`)
    const archived = {file: 'forged.jsonl', digest: '0'.repeat(64), before: '2026-01-01', entries: 1, payments: 1}
    const runs = [{chain: 0, first: 1_000, last: 1_000, hash: '0'.repeat(64)}]
    const forge = (found: Partial<Parameters<typeof toArchivingDecision>[0]>) =>
      withJournal(journal.address, (opened) =>
        opened.recordDecision(
          toArchivingDecision({...archived, runs: [], ...found}, {user: 'eve', host: 'till'}, undefined),
        ),
      )
    await forge({payments: Number.NaN})
    expect(await findKind(journal)).toBe('inserted')
    await forge({})
    expect(await findKind(journal)).toBe('inserted')
    await forge({runs})
    expect(await findKind(journal)).toBe('inserted')
  })

  it('is found if an archiving names another hash', async () => {
    const {journal} = await prepare()
    const {history} = journal
    const decision = (await readEntries(journal)).find(({key}) => key === 'archive')
    const hash = /"([0-9a-f]{64})"\]/.exec(decision?.detail ?? '')?.[1] ?? ''
    await journal.run(
      `update ${history} set detail = replace(detail, '${hash}', '${'1'.repeat(64)}') where key = 'archive'`,
    )
    expect(await findKind(journal)).toBe('changed')
    await journal.run(`delete from ${history} where key = 'archive'`)
    expect(await findKind(journal)).toBe('removed')
  })
})

const random = createGenerator(seed)
const pick = (below: number) => Math.floor(random() * below)

it(`finds every byte of an archive that was changed (seed ${seed})`, async () => {
  const journal = await createFileJournal()
  await fill(journal, 1)
  const file = newFile()
  await prune(journal, file)
  const bytes = fs.readFileSync(file)
  const changed = newFile('changed.jsonl')
  for (let round = 0; round < 150; round++) {
    const at = pick(bytes.length)
    const copy = Buffer.from(bytes)
    copy[at] = (copy[at] ?? 0) ^ (1 << pick(7))
    fs.writeFileSync(changed, copy)
    const found = await verify(journal, {archives: [changed]}).then(
      ({finding}) => finding?.kind,
      (error: Error) => error.message,
    )
    // The first line says that it is an archive at all.
    expect(found, `byte ${at}`).toMatch(/changed|removed|inserted|is no archive/)
  }
  const lines = bytes.toString().split('\n')
  for (const cut of [1, 3, lines.length - 3]) {
    fs.writeFileSync(changed, lines.filter((_, index) => index !== cut).join('\n'))
    expect(await findKind(journal, [changed])).toBe('changed')
  }
  fs.writeFileSync(changed, bytes.subarray(0, bytes.length - 1))
  expect(await findKind(journal, [changed])).toBe('changed')
})

it('is copied to a database, where the archive still belongs to it', async () => {
  const journal = await createFileJournal()
  await fill(journal, 1)
  const file = newFile()
  const {entries} = await prune(journal, file)
  const copy = await createDatabaseJournal(getAddress())
  await copyJournal(journal.address.text, copy.address)
  expect(await verify(copy)).toMatchObject({payments: 5, archived: {entries}})
  expect((await verify(copy, {archives: [file]})).archived.entries).toBe(0)
  // Nothing has ended there that is not in the first archive.
  expect(await prune(copy)).toMatchObject({entries: 0})
})

it('refuses two at once: the second one finds that the history has changed', async () => {
  const journal = await createFileJournal()
  await fill(journal, 1)
  const second = newFile('second.jsonl')
  const pruning = archiveHistory(journal.address, {
    file: second,
    svc: 'test',
    beforeMs: soon(),
    pruning: {
      confirm: async () => {
        await prune(journal)
        return true
      },
    },
  })
  await expect(pruning).rejects.toThrow('has changed')
  expect((await verify(journal)).finding).toBeUndefined()
  const opened = await openJournal(journal.address)
  expect(await opened.listDecisions()).toHaveLength(6)
  await opened.close()
})
