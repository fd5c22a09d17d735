// Evidence that is missing, unsigned, reworded or vouched for by the wrong program is no evidence: `journal verify` ends with 12.
import {spawnSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {formatHead} from '../../../src/payments/audit/head.ts'
import {verifyJournal} from '../../../src/payments/audit/verify-journal.ts'
import {withChainReader} from '../../../src/payments/journal/open-journal.ts'
import {createKey, createTeam, requireApprovals, runOpenSsh} from '../../support/approvals.ts'
import {inSandbox, payment, writePlan} from '../../support/payments.ts'
import {type Home, json, run, sharedHome, temporaryFolder} from '../../support/svc.ts'

let home: Home
let folder: string
let signers: string
const inFolder = (name: string) => path.join(folder, name)
const svc = (...args: string[]) => run(home, args, {env: {SVC_JOURNAL: inFolder('journal.sqlite')}})
const verify = (...args: string[]) => svc('journal', 'verify', ...args, '--signers', signers, '--json')

// The head of the journal as it is now, which nobody has signed.
async function writeHead(file: string) {
  const {heads} = await withChainReader({text: inFolder('journal.sqlite')}, (reader) => verifyJournal(reader))
  fs.writeFileSync(file, formatHead({at: new Date().toISOString(), chains: heads}))
}

// The verdict, the exit code and the sentence, which have to agree.
async function readVerdict(ran: Promise<{code: number | null; out: string; err: string}>) {
  const {code, out, err} = await ran
  const {error, exitCode, message} = err.startsWith('{') ? json(err) : {}
  return {code, isIntact: json(out)['isIntact'], error, exitCode, message}
}

const noEvidence = (sentence: RegExp) => ({
  code: 12,
  isIntact: false,
  error: 'NOT_INTACT',
  exitCode: 12,
  message: expect.stringMatching(sentence) as unknown,
})

beforeAll(async () => {
  home = sharedHome()
  folder = fs.mkdtempSync(path.join(home.folder, 'evidence-'))
  signers = inFolder('allowed_signers')
  fs.writeFileSync(signers, `ann@example.com ${createKey(inFolder('ann'))}\n`)
  createKey(inFolder('eve'))
  const {code, err} = await svc(...payment('rent', '12.50'), ...inSandbox, '--yes')
  if (code !== 0) throw new Error(err)
})

afterAll(() => fs.rmSync(home.folder, {recursive: true, force: true}))

it('a head without a signature is no evidence for the signers: the file of the signature is not there, or cannot be read', async () => {
  const head = inFolder('plain.head')
  await writeHead(head)
  // Without --signers, nobody asked for a signature.
  expect(json((await svc('journal', 'verify', '--head', head, '--json')).out)).toMatchObject({
    isIntact: true,
    head: {signature: 'none'},
  })
  expect(await readVerdict(verify('--head', head))).toEqual(noEvidence(/The head in .*plain\.head is not signed/))
  fs.mkdirSync(`${head}.sig`)
  expect(await readVerdict(verify('--head', head))).toEqual(noEvidence(/is not signed/))
  fs.rmdirSync(`${head}.sig`)
  spawnSync('mkfifo', [`${head}.sig`])
  expect(await readVerdict(verify('--head', head))).toEqual(noEvidence(/is not signed/))
  fs.rmSync(`${head}.sig`)
  for (const text of ['', 'nonsense', '-----BEGIN SSH SIGNATURE-----\n']) {
    fs.writeFileSync(`${head}.sig`, text)
    expect(await readVerdict(verify('--head', head))).toEqual(
      noEvidence(/The signature of the head in .*plain\.head is wrong/),
    )
  }
})

// A program with the name of OpenSSH's that says yes to everything, and leaves a mark when it is run.
function writeShims(): {bin: string; mark: string} {
  const bin = temporaryFolder()
  const mark = path.join(bin, 'ran')
  const lines = [
    '#!/bin/sh',
    `echo "$0 $*" >> ${mark}`,
    'echo "ann@example.com"',
    'echo "Good \\"svc-journal\\" signature for ann@example.com with ED25519 key SHA256:AAAA"',
  ]
  for (const name of ['ssh-keygen', 'ssh-add']) {
    fs.writeFileSync(path.join(bin, name), `${lines.join('\n')}\n`, {mode: 0o755})
  }
  return {bin, mark}
}

describe('a program called ssh-keygen on PATH', () => {
  it('has no say in whether a signature is good', async () => {
    const {bin, mark} = writeShims()
    const head = inFolder('by-eve.head')
    await writeHead(head)
    runOpenSsh(['-q', '-Y', 'sign', '-n', 'svc-journal', '-f', inFolder('eve'), head])
    const env = {SVC_JOURNAL: inFolder('journal.sqlite'), PATH: `${bin}:${process.env['PATH']}`}
    const args = ['journal', 'verify', '--head', head, '--signers', signers, '--json']
    expect(await readVerdict(run(home, args, {env}))).toEqual(noEvidence(/by nobody of the signers/))
    expect(fs.existsSync(mark)).toBe(false)
  })

  it('makes no approval count, and is not asked to sign or to list keys', async () => {
    const {bin, mark} = writeShims()
    const team = createTeam({env: {PATH: `${bin}:${process.env['PATH']}`, SSH_AUTH_SOCK: path.join(bin, 'agent')}})
    await requireApprovals(team, team.carol, {approvals: 1})
    writePlan(path.join(team.folder, 'rent.yaml'), 'rent-1', '5')
    expect((await team.approve(team.alice, 'rent.yaml')).code).toBe(0)
    const approvals = path.join(team.folder, 'rent.yaml.approvals')
    const text = fs.readdirSync(approvals).find((name) => name.endsWith('.approval')) ?? ''
    const file = path.join(approvals, text)
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('user: ', 'user: x'))
    const refused = await team.run(team.carol, ['pay', '-f', 'rent.yaml'])
    expect([refused.code, refused.err]).toEqual([10, expect.stringContaining('its signature is not good')])
    expect(fs.existsSync(mark)).toBe(false)
  })
})
