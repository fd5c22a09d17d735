// Who may sign, when and for what: the options of allowed_signers get the verdict that ssh-keygen gives.
import {spawnSync} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {beforeAll, describe, expect, it} from 'vitest'
import {readSigners} from '../../src/controls/signers.ts'
import {createKey, runOpenSsh} from '../support/approvals.ts'

const text = 'a text'
const namespace = 'svc-approval'

let folder: string
let publicKey: string
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-'))
  publicKey = createKey(path.join(folder, 'alice'))
  const signature = runOpenSsh(['-Y', 'sign', '-q', '-n', namespace, '-f', path.join(folder, 'alice')], text)
  fs.writeFileSync(path.join(folder, 'signature'), signature)
  return () => fs.rmSync(folder, {recursive: true})
})

const getFile = () => path.join(folder, 'allowed_signers')
const writeLine = (options: string) =>
  fs.writeFileSync(getFile(), `alice@example.com ${options} ${publicKey} a comment\n`)

// A time as ssh-keygen takes it, in UTC.
const toOptionTime = (at: string) => `${at.replaceAll(/[-T:]/g, '').slice(0, 14)}Z`

function askOpenSsh(at: string): boolean {
  const files = ['-s', path.join(folder, 'signature'), '-f', getFile()]
  const args = ['-Y', 'verify', '-n', namespace, '-I', 'alice@example.com', '-O', `verify-time=${toOptionTime(at)}`]
  return spawnSync('ssh-keygen', [...args, ...files], {input: text}).status === 0
}

const ask = (at: string) => readSigners(getFile()).mayUse(publicKey, {nowMs: Date.parse(at), namespace})

const noon = '2026-11-17T12:00:00.000Z'

describe('the options of a line', () => {
  it.each([
    ['namespaces="svc-approval"', true],
    ['namespaces="git,svc-approval"', true],
    ['namespaces="git,file"', false],
    ['namespaces="svc-*"', true],
    ['namespaces="*approval"', true],
    ['namespaces="s*-*a*l"', true],
    ['namespaces="svc-approva?"', true],
    ['namespaces="svc-approval?"', false],
    ['namespaces="SVC-APPROVAL"', false],
    ['namespaces="*,!svc-approval"', false],
    ['namespaces="!git,svc-approval"', true],
    ['namespaces="!git"', false],
    ['namespaces=""', false],
    ['NAMESPACES="svc-approval"', true],
    ['valid-after="20261117"', true],
    ['valid-after="20261117120000Z"', true],
    ['valid-after="20261117120001Z"', false],
    ['valid-before="20261117120000Z"', true],
    ['valid-before="20261117115959Z"', false],
    ['valid-before="202611171159Z"', false],
    ['valid-after="20261118Z"', false],
    ['valid-after="20251117",valid-before="20271117"', true],
    ['namespaces="svc-approval",valid-before="20200101"', false],
    ['valid-after="20200101",namespaces="git"', false],
  ])('%s: %s', (options, expected) => {
    writeLine(options)
    expect(ask(noon)).toBe(expected)
    expect(askOpenSsh(noon)).toBe(expected)
  })

  it('are times of this machine without a Z', () => {
    const local = new Date(2026, 10, 17, 12)
    const before = new Date(local.getTime() - 1000).toISOString()
    writeLine('valid-after="202611171200"')
    for (const [at, expected] of [
      [local.toISOString(), true],
      [before, false],
    ] as const) {
      expect(ask(at)).toBe(expected)
      expect(askOpenSsh(at)).toBe(expected)
    }
  })

  // A line that OpenSSH cannot read lets nobody sign. svc also says which one it is.
  it.each([
    'unknown',
    'unknown="x"',
    'namespaces',
    'namespaces=git',
    'namespaces="git',
    'namespaces="git",',
    'namespaces="svc-approval",namespaces="git"',
    'valid-after="tomorrow"',
    'valid-after="20261399"',
    'valid-after=""',
    'valid-after="20271117",valid-before="20251117"',
  ])('cannot be %s', (options) => {
    writeLine(options)
    expect(() => readSigners(getFile())).toThrow(/^Line 1 of /)
    expect(askOpenSsh(noon)).toBe(false)
  })

  it('hold for their own line: another one may allow more', () => {
    fs.writeFileSync(getFile(), `alice@example.com namespaces="git" ${publicKey}\nalice@example.com ${publicKey}\n`)
    expect([ask(noon), askOpenSsh(noon)]).toEqual([true, true])
    expect(readSigners(getFile()).mayUse('ssh-ed25519 AAAAAAAAAAAAAAAAAAAA', {nowMs: 0})).toBe(false)
  })

  it('take no time, however the patterns are', () => {
    writeLine(`namespaces="${'*a'.repeat(2000)}"`)
    const started = performance.now()
    expect(readSigners(getFile()).mayUse(publicKey, {nowMs: 0, namespace: 'a'.repeat(1000)})).toBe(false)
    expect(performance.now() - started).toBeLessThan(5000)
  })
})
