// Which approvals count: every way to have one that does not, with the real ssh-keygen.
import {spawnSync} from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import {beforeAll, beforeEach, describe, expect, it, onTestFinished, vi} from 'vitest'
import {machineClock} from '../../../src/controls/both-clocks.ts'
import {checkApprovals, findRunner, recheckEveryMs, requireApproval} from '../../../src/controls/approvals.ts'
import {createFileStore} from '../../../src/controls/approval-store.ts'
import {readSigners} from '../../../src/controls/signers.ts'
import {findApprover, signApproval} from '../../../src/controls/give-approval.ts'
import {type ApprovalSubject, givenAheadMaxMs, renderStatement} from '../../../src/controls/statement.ts'
import {describeOperator} from '../../../src/controls/operator.ts'
import {createKey, runOpenSsh} from '../../support/approvals.ts'
import {temporaryFolder} from '../../support/svc.ts'

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
function plant(
  text: string,
  {name = 'alice', namespace = 'svc-approval', id = 'planted', signed: of = text, signature = 'made'} = {},
): void {
  const place = path.join(folder, 'payroll.csv.approvals')
  fs.mkdirSync(place, {recursive: true})
  fs.writeFileSync(path.join(place, `${id}.approval`), text)
  const made = runOpenSsh(['-Y', 'sign', '-q', '-n', namespace, '-f', getKey(name)], of)
  fs.writeFileSync(path.join(place, `${id}.approval.sig`), signature === 'made' ? made : signature)
}

async function withdraw(name: string, at = nowMs, about = subject) {
  const approver = await findApprover(readSigners(signersFile), getKey(name))
  await signApproval(getStore(), about, {approver, user: 'x@y', givenAt: at, isShown: false})
  fs.rmSync(path.join(folder, 'runner'), {recursive: true, force: true})
}

const readMs = () => nowMs
const clock = {earliest: readMs, latest: readMs, wall: readMs}

const statement = {
  ...subject,
  action: 'approval' as const,
  user: 'alice@laptop',
  givenAt: nowMs - 1,
  expiresAt: nowMs + hourMs,
}

async function check(about = subject, clocks = clock) {
  const approvers = readSigners(signersFile)
  const runner = await findRunner({}, approvers)
  const {approvals, people} = await checkApprovals(getStore(), about, {approvers, runner, clock: clocks})
  return {people, reasons: approvals.map(({notCounted}) => notCounted ?? 'counts').toSorted()}
}

const {user, host} = describeOperator()
const signed = renderStatement(statement)
const withdrawal = renderStatement({...statement, action: 'withdrawal', expiresAt: undefined})

// Copies files of a key to the folder of the one who runs it.
function giveRunner(name: string, ...endings: string[]): void {
  const ssh = path.join(folder, 'runner', '.ssh')
  fs.mkdirSync(ssh, {recursive: true})
  for (const ending of endings) fs.copyFileSync(`${getKey(name)}${ending}`, path.join(ssh, `work${ending}`))
}

// Signs at the machine that runs it, with a key that is gone afterwards.
async function signWithLostKey(): Promise<void> {
  const file = path.join(folder, 'stick')
  fs.copyFileSync(getKey('alice'), file)
  const approver = await findApprover(readSigners(signersFile), file)
  const times = {givenAt: nowMs - 1, expiresAt: nowMs + hourMs}
  await signApproval(getStore(), subject, {approver, user: 'x@y', ...times, isShown: false})
  fs.rmSync(file)
}

// That another service, content or person does not count is also in policy-sequences.test.ts.
type Prepare = () => unknown
const notCounted: Array<[name: string, reason: string, prepare: Prepare]> = [
  ['are of another kind', 'otherKind', () => approve('alice', {about: {...subject, kind: 'payment'}})],
  ['have expired', 'expired', () => approve('alice', {givenAt: nowMs - hourMs, validMs: hourMs})],
  ['were given in the future', 'future', () => approve('alice', {givenAt: nowMs + hourMs})],
  [
    'were given for longer after they were signed',
    'badSignature',
    () => plant(renderStatement({...statement, expiresAt: nowMs + 1000 * hourMs}), {signed}),
  ],
  ['were signed in the namespace of git', 'badSignature', () => plant(signed, {namespace: 'git'})],
  ['have no signature', 'badSignature', () => plant(signed, {signature: ''})],
  ['have a signature that is none', 'badSignature', () => plant(signed, {signature: 'nonsense'})],
  ['have an added line', 'unreadable', () => plant(`${signed}\n`)],
  ['are of another version', 'unreadable', () => plant(signed.replace('version 1', 'version 2'))],
  ['have no expiry', 'unreadable', () => plant(signed.replace(/expires: .*\n/, ''))],
  ['say a time in other words', 'unreadable', () => plant(signed.replace(/expires: .*/, 'expires: 2099'))],
  ['spell a time otherwise', 'unreadable', () => plant(signed.replace('.000Z\n', 'Z\n'))],
  ['have Windows line ends', 'unreadable', () => plant(signed.replaceAll('\n', '\r\n'))],
  [
    'are of somebody who was removed',
    'notAllowed',
    async () => {
      await approve('alice')
      writeSigners(toLine('bob'))
    },
  ],
  [
    'are of the one who runs it, by a key in ~/.ssh',
    'runner',
    async () => {
      await approve('alice')
      giveRunner('alice', '', '.pub')
    },
  ],
  [
    'are of the one who runs it, by another of his keys, which is named to sign with',
    'runner',
    async () => {
      writeSigners(toLine('alice'), `alice@example.com ${publicKeys['bob']}`)
      await approve('bob')
      vi.stubEnv('SVC_SIGNING_KEY', getKey('alice'))
    },
  ],
  ['are of the one who runs it, after his key was moved away', 'runner', signWithLostKey],
  [
    'were signed by the user and on the machine that run it',
    'sameUser',
    () => plant(renderStatement({...statement, user: `${user}@${host}`})),
  ],
  ...[nowMs, nowMs - 1].map((at): [name: string, reason: string, prepare: Prepare] => [
    `were withdrawn ${at - nowMs + 1} ms after they were given`,
    'withdrawn',
    async () => {
      await approve('alice')
      await withdraw('alice', at)
    },
  ]),
]

describe('approvals', () => {
  it.each(notCounted)('do not count if they %s', async (_, reason, prepare) => {
    await prepare()
    expect(await check()).toEqual({people: [], reasons: [reason]})
  })

  it('count once for each person, with any of his keys and in any spelling of his name', async () => {
    writeSigners(toLine('alice'), `ALICE@example.com ${publicKeys['bob']}`)
    await approve('alice')
    await approve('bob')
    expect(await check()).toMatchObject({people: [expect.any(String)], reasons: ['counts', 'samePerson']})
  })

  it('can be made with ssh-keygen alone, and need no program of OpenSSH to be checked', async () => {
    plant(signed)
    // The public key of a colleague is in the folder of the one who runs it.
    giveRunner('alice', '.pub')
    vi.stubEnv('PATH', folder)
    expect(await check()).toEqual({people: ['alice@example.com'], reasons: ['counts']})
  })

  it('count although others, or what was approved before, or other content was withdrawn', async () => {
    await approve('alice')
    await withdraw('alice', nowMs - 2)
    await withdraw('alice', nowMs, {...subject, digest: 'cd'.repeat(32)})
    await withdraw('bob')
    plant(withdrawal, {name: 'mallory'})
    expect(await check()).toEqual({people: ['alice@example.com'], reasons: ['counts']})
  })
})

// The machine's clock and the service's, of which the bounds are a minute apart: whichever is later
// ends an approval, and whichever is earlier lets it begin.
const halfMinute = 0.5 / 60
it.each([
  ['as it is', 0, 0, 'counts'],
  ['the machine two hours behind', -2, 0, 'future'],
  ['the service two hours behind', 0, -2, 'future'],
  ['the machine two hours ahead', 2, 0, 'expired'],
  ['the service two hours ahead', 0, 2, 'expired'],
  ['both two hours ahead', 2, 2, 'expired'],
  ['the service where it may have ended', 0, 1 - halfMinute, 'expired'],
  ['the service where it has not ended', 0, 1 - 2 * halfMinute, 'counts'],
  ['the service where it may not have begun', 0, -givenAheadMaxMs / hourMs, 'future'],
  ['the service where it has begun', 0, halfMinute - givenAheadMaxMs / hourMs, 'counts'],
])('an approval of an hour is judged by both clocks: %s', async (_, machineHours, serviceHours, reason) => {
  await approve('alice', {validMs: hourMs})
  const at = (hours: number) => () => nowMs + hours * hourMs
  const [earliest, latest] = [at(serviceHours - halfMinute), at(serviceHours + halfMinute)]
  const clocks = {wall: at(machineHours), earliest, latest}
  expect((await check(subject, clocks)).reasons).toEqual([reason])
})

it('an approval that has expired by the time of the service counts no more as soon as that is known', async () => {
  await approve('alice', {validMs: hourMs})
  const caller = {label: 'a test', readOnly: false, approvals: {required: 1, approvers: readSigners(signersFile)}}
  let [earliest, latest] = [readMs, readMs]
  const known = {wall: readMs, earliest: () => earliest(), latest: () => latest()}
  const {recheck} = await requireApproval({caller, subject, store: getStore(), name: 'payroll.csv', clock: known})
  expect(await recheck?.()).toBeUndefined()
  earliest = latest = () => nowMs + hourMs
  expect(await recheck?.()).toMatchObject({error: 'NOT_APPROVED'})
})

it.each<[what: string, end: () => unknown, passedMs: number]>([
  ['expired', () => {}, hourMs],
  ['was withdrawn', () => withdraw('alice'), recheckEveryMs],
])('approvals are read again while a long file is paid: one that %s counts no more', async (_, end, passedMs) => {
  await approve('alice', {validMs: hourMs})
  vi.useFakeTimers({now: nowMs, toFake: ['Date', 'performance']})
  onTestFinished(() => void vi.useRealTimers())
  const approvals = {required: 1, approvers: readSigners(signersFile)}
  const caller = {label: 'a test', readOnly: false, approvals}
  const {recheck} = await requireApproval({
    caller,
    subject,
    store: getStore(),
    name: 'payroll.csv',
    clock: machineClock,
  })
  await end()
  expect(await recheck?.()).toBeUndefined()
  vi.advanceTimersByTime(passedMs)
  expect(await recheck?.()).toMatchObject({error: 'NOT_APPROVED'})
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

// A forwarded agent whose connection has died takes a connection and says nothing.
it('an agent that does not answer is no longer waited for than a moment', async () => {
  const agent = net.createServer(() => {})
  const socket = path.join(folder, 'agent')
  await new Promise<void>((resolve) => agent.listen(socket, resolve))
  onTestFinished(() => void agent.close())
  vi.stubEnv('SSH_AUTH_SOCK', socket)
  const beganMs = performance.now()
  expect((await findRunner({}, readSigners(signersFile))).approvers).toEqual([])
  expect(performance.now() - beganMs).toBeLessThan(60_000)
})
