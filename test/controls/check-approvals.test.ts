// Which approvals count: every way to have one that does not, with the real ssh-keygen.
import {spawnSync} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {beforeAll, beforeEach, describe, expect, it, vi} from 'vitest'
import {checkApprovals, findRunner} from '../../src/controls/approvals.ts'
import {createFileStore} from '../../src/controls/approval-store.ts'
import {readSigners} from '../../src/controls/signers.ts'
import {findApprover, signApproval} from '../../src/controls/give-approval.ts'
import {type ApprovalSubject, renderStatement} from '../../src/controls/statement.ts'
import {describeOperator} from '../../src/values/operator.ts'
import {createKey, runOpenSsh} from '../support/approvals.ts'
import {temporaryFolder} from '../support/svc.ts'

const subject: ApprovalSubject = {kind: 'payouts', serviceId: 'https://api.example.com', digest: 'ab'.repeat(32)}
const nowMs = Date.parse('2026-11-16T12:00:00.000Z')
const hourMs = 3_600_000

let folder: string
let signersFile: string
let keyFolder: string
const getKey = (name: string) => path.join(keyFolder, name)
const publicKeys: Record<string, string> = {}

// Keys take a while to make, so that all tests share them.
beforeAll(() => {
  keyFolder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-'))
  for (const name of ['alice', 'bob', 'mallory']) publicKeys[name] = createKey(getKey(name))
  return () => fs.rmSync(keyFolder, {recursive: true})
})

const writeSigners = (...lines: string[]) => fs.writeFileSync(signersFile, `${lines.join('\n')}\n`)
const toLine = (name: string) => `${name}@example.com ${publicKeys[name]}`

// The one who runs it has a home without a key.
beforeEach(() => {
  folder = temporaryFolder()
  signersFile = path.join(folder, 'allowed_signers')
  vi.stubEnv('HOME', path.join(folder, 'runner'))
  vi.stubEnv('SVC_CONFIG_DIR', path.join(folder, 'runner', 'config'))
  vi.stubEnv('SSH_AUTH_SOCK', undefined)
  vi.stubEnv('SVC_SIGNING_KEY', undefined)
  writeSigners(toLine('alice'), toLine('bob'))
  return () => vi.unstubAllEnvs()
})

const getStore = () => createFileStore(path.join(folder, 'payroll.csv'))

// Signs as another person, on another machine.
async function approve(
  name: string,
  {givenAt = nowMs - 1, validMs = 24 * hourMs, about = subject, signers = signersFile} = {},
) {
  vi.stubEnv('SVC_CONFIG_DIR', path.join(folder, name, 'config'))
  const approver = await findApprover(readSigners(signers), getKey(name))
  const signing = {approver, user: `${name}@laptop`, givenAt, expiresAt: givenAt + validMs, isShown: false}
  await signApproval(getStore(), about, signing)
  vi.stubEnv('SVC_CONFIG_DIR', path.join(folder, 'runner', 'config'))
}

// Puts a text there with a signature of this key, as ssh-keygen alone makes it.
function plant(text: string, {name = 'alice', namespace = 'svc-approval', id = 'planted', signed = text} = {}): void {
  const place = path.join(folder, 'payroll.csv.approvals')
  fs.mkdirSync(place, {recursive: true})
  fs.writeFileSync(path.join(place, `${id}.approval`), text)
  const signature = runOpenSsh(['-Y', 'sign', '-q', '-n', namespace, '-f', getKey(name)], signed)
  fs.writeFileSync(path.join(place, `${id}.approval.sig`), signature)
}

async function withdraw(name: string, at = nowMs, about = subject) {
  const approver = await findApprover(readSigners(signersFile), getKey(name))
  await signApproval(getStore(), about, {approver, user: 'x@y', givenAt: at, isShown: false})
  fs.rmSync(path.join(folder, 'runner'), {recursive: true, force: true})
}

const statement = {
  ...subject,
  action: 'approval' as const,
  user: 'alice@laptop',
  givenAt: nowMs - 1,
  expiresAt: nowMs + hourMs,
}

async function check(about = subject) {
  const approvers = readSigners(signersFile)
  const runner = await findRunner({}, approvers)
  const {approvals, people} = await checkApprovals(getStore(), about, {approvers, runner, nowMs})
  return {people, reasons: approvals.map(({notCounted}) => notCounted ?? 'counts').toSorted()}
}

describe('approvals', () => {
  it('count once for each person who may approve', async () => {
    await approve('alice')
    await approve('bob')
    expect(await check()).toEqual({
      people: expect.arrayContaining(['alice@example.com', 'bob@example.com']),
      reasons: ['counts', 'counts'],
    })
  })

  it('can be made with ssh-keygen alone', async () => {
    plant(renderStatement(statement))
    expect(await check()).toEqual({people: ['alice@example.com'], reasons: ['counts']})
  })

  it.each([
    ['service', {...subject, serviceId: 'sandbox:/home/x#1'}, 'otherService'],
    ['kind', {...subject, kind: 'payment' as const}, 'otherKind'],
    ['content', {...subject, digest: 'cd'.repeat(32)}, 'otherContent'],
  ])('do not count for another %s', async (_, other, reason) => {
    await approve('alice', {about: other})
    expect(await check()).toEqual({people: [], reasons: [reason]})
  })

  it('count again when the content is what it was', async () => {
    await approve('alice')
    expect((await check({...subject, digest: 'cd'.repeat(32)})).people).toEqual([])
    expect((await check()).people).toEqual(['alice@example.com'])
  })

  it('do not count after they expire, nor before they are given', async () => {
    await approve('alice', {givenAt: nowMs - hourMs, validMs: hourMs})
    await approve('bob', {givenAt: nowMs + hourMs})
    expect(await check()).toEqual({people: [], reasons: ['expired', 'future']})
  })

  it('do not count if the expiry was changed after they were signed', async () => {
    plant(renderStatement({...statement, expiresAt: nowMs + 1000 * hourMs}), {signed: renderStatement(statement)})
    expect(await check()).toEqual({people: [], reasons: ['badSignature']})
  })

  it('do not count with a signature in another namespace', async () => {
    plant(renderStatement(statement), {namespace: 'git'})
    plant(renderStatement(statement), {namespace: 'file', id: 'second'})
    expect(await check()).toEqual({people: [], reasons: ['badSignature', 'badSignature']})
  })

  it('do not count with a forged signature', async () => {
    plant(renderStatement(statement))
    const file = path.join(folder, 'payroll.csv.approvals', 'planted.approval.sig')
    const [begin = '', ...rest] = fs.readFileSync(file, 'utf8').split('\n')
    const bytes = Buffer.from(rest.slice(0, -2).join(''), 'base64')
    bytes[bytes.length - 1]! ^= 1
    const forged = (bytes.toString('base64').match(/.{1,70}/g) ?? []).join('\n')
    for (const text of [`${begin}\n${forged}\n-----END SSH SIGNATURE-----\n`, 'nonsense', '', `${begin}\n${begin}\n`]) {
      fs.writeFileSync(file, text)
      expect(await check()).toEqual({people: [], reasons: ['badSignature']})
    }
  })

  it('do not count of somebody who is not allowed', async () => {
    plant(renderStatement(statement), {name: 'mallory'})
    expect(await check()).toEqual({people: [], reasons: ['notAllowed']})
  })

  it('do not count of somebody who was removed', async () => {
    await approve('alice')
    writeSigners(toLine('bob'))
    expect(await check()).toEqual({people: [], reasons: ['notAllowed']})
  })

  it.each([
    ['with an added line', `${renderStatement(statement)}\n`],
    ['of another version', renderStatement(statement).replace('version 1', 'version 2')],
    ['without an expiry', renderStatement(statement).replace(/expires: .*\n/, '')],
    ['with a time in other words', renderStatement(statement).replace(/expires: .*/, 'expires: 2099')],
    ['with Windows line ends', renderStatement(statement).replaceAll('\n', '\r\n')],
  ])('do not count %s, even if somebody signed that', async (_, text) => {
    plant(text)
    expect(await check()).toEqual({people: [], reasons: ['unreadable']})
  })
})

describe('one person', () => {
  it('counts once, however many approvals there are', async () => {
    await approve('alice')
    await approve('alice', {givenAt: nowMs - 2})
    expect(await check()).toEqual({people: ['alice@example.com'], reasons: ['counts', 'samePerson']})
  })

  it('counts once with two keys, in any spelling of the name', async () => {
    writeSigners(toLine('alice'), `ALICE@example.com ${publicKeys['bob']}`)
    await approve('alice')
    await approve('bob')
    expect(await check()).toMatchObject({reasons: ['counts', 'samePerson']})
  })

  it('does not count who runs it, by a key in ~/.ssh', async () => {
    await approve('alice')
    const ssh = path.join(folder, 'runner', '.ssh')
    fs.mkdirSync(ssh, {recursive: true})
    fs.copyFileSync(getKey('alice'), path.join(ssh, 'work'))
    fs.copyFileSync(`${getKey('alice')}.pub`, path.join(ssh, 'work.pub'))
    expect(await check()).toEqual({people: [], reasons: ['runner']})
  })

  it('does not count who runs it, by the key that is named to sign with', async () => {
    await approve('alice')
    vi.stubEnv('SVC_SIGNING_KEY', getKey('alice'))
    expect(await check()).toEqual({people: [], reasons: ['runner']})
  })

  it('does not count who runs it, with another of his keys', async () => {
    writeSigners(toLine('alice'), `alice@example.com ${publicKeys['bob']}`)
    await approve('bob')
    vi.stubEnv('SVC_SIGNING_KEY', getKey('alice'))
    expect(await check()).toEqual({people: [], reasons: ['runner']})
  })

  it('does not count who runs it, after his key was moved away', async () => {
    const file = path.join(folder, 'stick')
    fs.copyFileSync(getKey('alice'), file)
    const approver = await findApprover(readSigners(signersFile), file)
    const times = {givenAt: nowMs - 1, expiresAt: nowMs + hourMs}
    await signApproval(getStore(), subject, {approver, user: 'x@y', ...times, isShown: false})
    fs.rmSync(file)
    expect(await check()).toEqual({people: [], reasons: ['runner']})
  })

  it('does not count what was signed by the user and on the machine that run it', async () => {
    const {user, host} = describeOperator()
    plant(renderStatement({...statement, user: `${user}@${host}`}))
    expect(await check()).toEqual({people: [], reasons: ['sameUser']})
  })

  it('counts although only the public key of another is in ~/.ssh', async () => {
    await approve('alice')
    const ssh = path.join(folder, 'runner', '.ssh')
    fs.mkdirSync(ssh, {recursive: true})
    fs.copyFileSync(`${getKey('alice')}.pub`, path.join(ssh, 'colleague.pub'))
    expect((await check()).people).toEqual(['alice@example.com'])
  })
})

describe('a withdrawal', () => {
  it('voids what its person approved before, and nothing else', async () => {
    await approve('alice')
    await approve('bob')
    await withdraw('alice')
    expect(await check()).toEqual({people: ['bob@example.com'], reasons: ['counts', 'withdrawn']})
    await approve('alice', {givenAt: nowMs + 1})
    expect((await check()).people).toHaveLength(2)
  })

  it('of other content or by somebody who is not allowed changes nothing', async () => {
    await approve('alice')
    await withdraw('alice', nowMs, {...subject, digest: 'cd'.repeat(32)})
    plant(renderStatement({...statement, action: 'withdrawal', expiresAt: undefined}), {name: 'mallory'})
    expect(await check()).toEqual({people: ['alice@example.com'], reasons: ['counts']})
  })
})

describe('the folder of approvals', () => {
  it('may hold links, pipes, folders, large files and nonsense, which are not followed or read, and are said', async () => {
    await approve('alice')
    const place = path.join(folder, 'payroll.csv.approvals')
    const text = fs.readdirSync(place).find((name) => name.endsWith('.approval')) ?? ''
    const put = (name: string) => path.join(place, name)
    fs.symlinkSync(put(text), put('link.approval'))
    fs.symlinkSync(put(`${text}.sig`), put('link.approval.sig'))
    fs.symlinkSync('/dev/zero', put('zero.approval'))
    fs.mkdirSync(put('folder.approval'))
    fs.mkdirSync(put('folder.approval.sig'))
    spawnSync('mkfifo', [put('pipe.approval')])
    fs.writeFileSync(put('large.approval'), 'x'.repeat(1_000_000))
    fs.writeFileSync(put('bytes.approval'), Buffer.from([0, 255, 254, 27, 91, 51, 49, 109]))
    fs.writeFileSync(put('single.approval'), fs.readFileSync(put(text)))
    fs.writeFileSync(put('-n.approval'), fs.readFileSync(put(text)))
    for (const name of ['zero', 'pipe', 'large', 'bytes', '-n']) fs.writeFileSync(put(`${name}.approval.sig`), 'x')
    const unreadable = ['link', 'zero', 'folder', 'pipe', 'large', 'bytes', '-n'].map(() => 'unreadable')
    expect(await check()).toEqual({
      people: ['alice@example.com'],
      reasons: ['badSignature', 'counts', ...unreadable],
    })
  })

  it('does not count if it is a link itself', async () => {
    await approve('alice')
    const place = path.join(folder, 'payroll.csv.approvals')
    fs.renameSync(place, path.join(folder, 'elsewhere'))
    fs.symlinkSync(path.join(folder, 'elsewhere'), place)
    expect(await check()).toEqual({people: [], reasons: []})
  })

  it.each([
    [200, ['.approval', '.approval.sig']],
    [3_000, ['.txt']],
  ])('is not flooded: with %i more files of %j it is refused, not read in part', async (count, endings) => {
    // Sorted by name, the approval comes first and the withdrawal last.
    plant(renderStatement(statement), {id: '0-a'})
    await withdraw('alice', nowMs)
    const place = path.join(folder, 'payroll.csv.approvals')
    for (let index = 0; index < count; index++) {
      for (const ending of endings) fs.writeFileSync(path.join(place, `0-b-${index}${ending}`), '')
    }
    await expect(check()).rejects.toMatchObject({
      kind: 'limit',
      message: expect.stringContaining('There are more files'),
    })
  })
})

describe('the file of those who may approve', () => {
  it.each([
    ['a pattern', '*@example.com KEY'],
    ['a negation', '!alice@example.com KEY'],
    ['two names', 'alice@example.com,charlie@example.com KEY'],
    ['a name in quotes', '"alice@example.com" KEY'],
    ['an authority', 'alice@example.com cert-authority KEY'],
    ['a time', 'alice@example.com valid-before="20990101" KEY'],
    ['a namespace', 'alice@example.com namespaces="svc-approval" KEY'],
    ['no key', 'alice@example.com nothing'],
    ['no name', 'KEY'],
    ['the key of another', 'alice@example.com BOB'],
  ])('is refused with %s', async (_, line) => {
    const found = line.replace('KEY', publicKeys['alice'] ?? '').replace('BOB', publicKeys['bob'] ?? '')
    writeSigners(toLine('bob'), found)
    await expect(check()).rejects.toThrow(/^Line 2 of .*(is not a name and a key|has the key of bob@example.com)$/)
  })

  it('is refused if it is empty or missing', async () => {
    writeSigners('# nobody')
    await expect(check()).rejects.toThrow('names nobody who may sign')
    fs.rmSync(signersFile)
    await expect(check()).rejects.toThrow('cannot be read (ENOENT)')
  })

  it('is needed to sign: another key is refused before anything is signed', async () => {
    await expect(approve('mallory')).rejects.toThrow('None of your keys is among those who may approve')
    expect((await check()).reasons).toEqual([])
  })
})

it('needs no program of OpenSSH to check approvals', async () => {
  await approve('alice')
  vi.stubEnv('PATH', folder)
  expect(await check()).toEqual({people: ['alice@example.com'], reasons: ['counts']})
})
