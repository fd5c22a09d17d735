// A state folder that svc can neither read nor change, as after a run with sudo: what only reads
// from the service works, and what needs the folder says so.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it, onTestFinished, vi} from 'vitest'
import {saveDraft} from '../../../src/customers/answers.ts'
import type {Caller} from '../../../src/profiles/caller.ts'
import {customer, customerId, reply, serve} from '../../support/service.ts'
import {freshHome, run} from '../../support/svc.ts'

const nobody = 65_534
const isRoot = process.getuid?.() === 0
const dayMs = 86_400_000

const serveReads = () =>
  serve(({path: at}, response) =>
    reply(
      response,
      200,
      {
        ...customer(1),
        customers: [customer(1)],
        transactions: [],
        paymentAccounts: [],
        automationRules: [],
      },
      {'x-path': at},
    ),
  )

// Commands that read from the service alone, and those that read from the folder too.
const fromService = [
  ['customers', 'list'],
  ['customers', 'get', customerId(1)],
  ['customers', 'issues', customerId(1)],
  ['accounts', 'list', '--customer', customerId(1)],
  ['transactions', 'list', '--customer', customerId(1)],
  ['rules', 'list', '--customer', customerId(1)],
  ['rules', 'get', 'rule_1'],
  ['api', 'GET', '/customers'],
  ['whoami'],
]
const fromFolder = [['status'], ['doctor'], ['journal', 'list'], ['reconcile'], ['report'], ['events', 'list']]

// Old enough to be removed, and of a customer whose verification has ended.
function writeAnswers(folder: string): void {
  fs.mkdirSync(path.join(folder, 'answers'), {recursive: true, mode: 0o700})
  for (const name of [`${customerId(1)}.0123456789abcdef.json`, 'new.0123456789abcdef.json']) {
    const file = path.join(folder, 'answers', name)
    fs.writeFileSync(file, JSON.stringify({sent: {kycData: {}}}), {mode: 0o600})
    fs.utimesSync(file, new Date(), new Date(Date.now() - 31 * dayMs))
  }
  fs.writeFileSync(path.join(folder, 'answers', `${customerId(1)}.fedcba9876543210.json`), '{}')
}

function changeAll(folder: string, change: (file: string) => void): void {
  for (const name of fs.readdirSync(folder)) {
    const file = path.join(folder, name)
    if (fs.statSync(file).isDirectory()) changeAll(file, change)
    else change(file)
  }
  change(folder)
}

// From the top, since what is below cannot be seen before. Then the folder can be removed.
function openAll(folder: string): void {
  fs.chmodSync(folder, 0o700)
  for (const name of fs.readdirSync(folder)) {
    const file = path.join(folder, name)
    if (fs.statSync(file).isDirectory()) openAll(file)
  }
}

const modes: Record<string, (state: string) => void> = {
  'that cannot be read': (state) => changeAll(state, (file) => fs.chmodSync(file, 0o000)),
  'that cannot be changed': (state) =>
    changeAll(state, (file) => fs.chmodSync(file, fs.statSync(file).isDirectory() ? 0o500 : 0o400)),
  ...(isRoot && {
    'of another user': (state: string) => changeAll(state, (file) => fs.chownSync(file, 0, 0)),
    'of another user, open to read': (state: string) =>
      changeAll(state, (file) => {
        fs.chownSync(file, 0, 0)
        fs.chmodSync(file, fs.statSync(file).isDirectory() ? 0o755 : 0o644)
      }),
  }),
}

const damageJournal = (state: string) => fs.writeFileSync(path.join(state, 'journal.sqlite'), 'no database')

// Root may do everything, so it is somebody else meanwhile.
async function asSomebody<T>(work: () => Promise<T>): Promise<T> {
  if (!isRoot) return work()
  process.setegid?.(nobody)
  process.seteuid?.(nobody)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
    process.setegid?.(0)
  }
}

describe('a state folder', () => {
  it.each([...Object.entries(modes), ['with a damaged journal', damageJournal] as const])(
    '%s keeps nobody from reading the service',
    async (_, close) => {
      const service = await serveReads()
      const home = freshHome()
      const state = path.join(home.folder, 'config/state')
      writeAnswers(state)
      if (isRoot) changeAll(home.folder, (file) => fs.chownSync(file, nobody, nobody))
      close(state)
      const codes: Array<[string, number | null, string]> = []
      await asSomebody(async () => {
        for (const args of [...fromService, ...fromFolder]) {
          const {code, err} = await run(home, args, {env: service.env})
          codes.push([args.join(' '), code, err])
        }
      })
      openAll(home.folder)
      expect(codes.filter(([, code]) => code === 1)).toEqual([])
      expect(codes.slice(0, fromService.length).filter(([, code]) => code !== 0)).toEqual([])
    },
  )

  it.each(Object.entries(modes))('%s lets a draft go, and says why it keeps none', async (_, close) => {
    const home = freshHome()
    const state = path.join(home.folder, 'config/state')
    writeAnswers(state)
    if (isRoot) changeAll(home.folder, (file) => fs.chownSync(file, nobody, nobody))
    close(state)
    vi.stubEnv('SVC_STATE_DIR', state)
    onTestFinished(() => void vi.unstubAllEnvs())
    const caller = {profileName: 'acme', baseUrl: 'https://api.example.com'} as Caller
    const draft = {command: ['customers', 'create'], savedAtMs: 0, body: {}, passed: []}
    await asSomebody(async () => {
      expect(() => saveDraft(caller, 'new', draft)).toThrow(/cannot be (written|created or used) \(EACCES\)/)
      expect(() => saveDraft(caller, 'new', undefined)).not.toThrow()
    })
    openAll(home.folder)
  })
})
