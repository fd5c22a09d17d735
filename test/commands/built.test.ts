// Every command once in a pipe and once on a terminal, as the built program that people install.
import {execFile} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {promisify} from 'node:util'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import manifest from '../../oclif.manifest.json' with {type: 'json'}
import {getOperation, operationNames} from '../../src/sandbox/operations/operations.ts'
import {payment} from '../support/payments.ts'
import {customerId} from '../support/service.ts'
import {type Home, freshHome, root, sharedHome, spawnSvc} from '../support/svc.ts'
import {onPty} from '../support/terminal.ts'
import {seeded, transactionId} from '../support/transactions.ts'

const sandbox = ['-p', 'sandbox']
const completed = '604b993b-352e-4ec4-a911-31e2bed9308b'
const route = payment('built', '1').slice(1, -4)

interface Example {
  args?: string[]
  // The exit code; 0 unless it says otherwise.
  code?: number
  // What is printed on either stream.
  shows: string | RegExp
}

// By the id of the command. The arguments are those after the command itself.
const rows: Record<string, Example> = {
  'accounts:get': {args: [seeded.wallet, '--customer', seeded.customer, ...sandbox], shows: seeded.wallet},
  'accounts:list': {args: ['--customer', seeded.customer, ...sandbox], shows: seeded.wallet},
  api: {args: ['GET', '/customers?pageSize=1', ...sandbox], shows: '"customers"'},
  autocomplete: {args: ['bash'], shows: 'complete -F _svc svc'},
  codes: {args: ['DOC_QUALITY_POOR'], shows: 'DOC_QUALITY_POOR'},
  console: {args: ['--timeout', '100ms', '--no-open', ...sandbox], shows: /127\.0\.0\.1:\d+\/[\w-]+\/enter\//},
  'customers:create': {
    args: ['--type', 'INDIVIDUAL', '--email', 'ada@example.com', '--dry-run', '--no-input', ...sandbox],
    shows: 'INDIVIDUAL',
  },
  'customers:fix': {args: [seeded.customer, '--no-input', ...sandbox], code: 2, shows: 'fix'},
  'customers:get': {args: [seeded.customer, ...sandbox], shows: seeded.customer},
  'customers:issues': {args: [seeded.customer, ...sandbox], shows: /issue/i},
  'customers:list': {args: sandbox, shows: 'ACTIVE'},
  'customers:update': {
    args: [seeded.customer, '--email', 'not an address', '--no-input', ...sandbox],
    code: 2,
    shows: 'email',
  },
  'customers:watch': {args: [seeded.customer, ...sandbox], shows: 'ACTIVE'},
  docs: {shows: 'paying-once'},
  doctor: {args: sandbox, shows: 'ok'},
  'events:listen': {args: ['--port', '0', '--timeout', '100ms'], shows: /listening/i},
  'events:list': {args: sandbox, shows: /event/i},
  'events:resend': {args: ['evt_none', ...sandbox], code: 5, shows: 'evt_none'},
  'events:show': {args: ['evt_none', ...sandbox], code: 5, shows: 'evt_none'},
  'events:trigger': {args: ['--customer', seeded.customer, '--dry-run', ...sandbox], shows: 'customer.updated'},
  'events:verify': {args: ['--secret-file', 'nowhere', 'nothing'], code: 2, shows: 'nowhere'},
  mcp: {args: ['--tools', '--allow-writes'], shows: 'pay_commit'},
  'journal:copy': {args: ['--from', 'none', '--to', 'none'], code: 2, shows: '--to'},
  'journal:export': {args: ['--since', '1d', ...sandbox], shows: 'transactionId,key'},
  'journal:init': {args: sandbox, code: 2, shows: 'SVC_JOURNAL'},
  'journal:list': {args: sandbox, shows: /payment/i},
  'journal:settle': {args: ['none', '--abandon', '--why', 'a test', '--yes', ...sandbox], code: 5, shows: 'none'},
  'journal:show': {args: ['none', ...sandbox], code: 5, shows: 'none'},
  'policy:set': {args: ['none.yaml', ...sandbox], code: 2, shows: 'none.yaml'},
  'policy:show': {args: sandbox, code: 5, shows: 'no policy'},
  'journal:verify': {args: ['none.json'], code: 2, shows: 'none.json'},
  logout: {args: sandbox, code: 2, shows: 'no credential'},
  login: {args: ['--no-input'], code: 2, shows: '--base-url'},
  open: {args: [seeded.customer, '--no-open', ...sandbox], shows: /verif/},
  pay: {args: [...route, '--amount', '1', '--key', 'built', '--dry-run', ...sandbox], shows: 'USDC'},
  approve: {args: ['nowhere.csv', '--show', ...sandbox], code: 2, shows: 'nowhere.csv'},
  'payouts:cancel': {args: ['b2222', ...sandbox], code: 2, shows: 'PostgreSQL'},
  'payouts:pause': {args: ['b2222', ...sandbox], code: 2, shows: 'PostgreSQL'},
  'payouts:resume': {args: ['b2222', ...sandbox], code: 2, shows: 'PostgreSQL'},
  'payouts:status': {args: sandbox, code: 2, shows: 'PostgreSQL'},
  'payouts:submit': {args: ['nowhere.csv', ...sandbox], code: 2, shows: 'PostgreSQL'},
  'payouts:work': {args: ['--until-idle', ...sandbox], code: 2, shows: 'PostgreSQL'},
  'payouts:run': {args: ['nowhere.csv', ...sandbox], code: 2, shows: 'nowhere.csv'},
  'profiles:list': {shows: 'sandbox'},
  'profiles:remove': {args: ['acme'], code: 2, shows: 'acme'},
  'profiles:set': {args: ['acme', '--no-read-only'], code: 2, shows: 'acme'},
  'profiles:show': {args: ['sandbox'], shows: 'sandbox'},
  'profiles:use': {args: ['acme'], code: 2, shows: 'acme'},
  'quotes:create': {args: [...route, '--amount', '1', ...sandbox], shows: 'USDC'},
  reconcile: {args: ['--since', '1d', '--customer', seeded.customer, ...sandbox], shows: 'No findings'},
  report: {args: ['--since', '1d', ...sandbox], shows: /payments? completed/},
  'rules:apply': {args: ['-f', 'nowhere.yaml', ...sandbox], code: 2, shows: 'nowhere.yaml'},
  'rules:create': {args: ['--no-input', ...sandbox], code: 2, shows: '--'},
  'rules:delete': {args: ['rule_none', '--yes', ...sandbox], code: 5, shows: 'rule_none'},
  'rules:export': {args: sandbox, shows: 'rules'},
  'rules:get': {args: ['rule_none', ...sandbox], code: 5, shows: 'rule_none'},
  'rules:list': {args: sandbox, shows: 'rule'},
  'rules:update': {args: ['rule_none', '--amount', '5', '--yes', ...sandbox], code: 5, shows: 'rule_none'},
  'sandbox:accounts:add': {
    args: ['--customer', seeded.customer, '--type', 'SVC_CRYPTO_WALLET', '--chain', 'BASE', '--currency', 'USDC'],
    shows: 'BASE',
  },
  'sandbox:accounts:list': {args: ['--customer', seeded.customer], shows: seeded.wallet},
  'sandbox:clock': {shows: /clock|time|now/i},
  'sandbox:clock:advance': {args: ['1s'], shows: /clock|time|now/i},
  'sandbox:clock:freeze': {shows: /clock|time|now/i},
  'sandbox:clock:run': {shows: /clock|time|now/i},
  'sandbox:clock:to-next': {shows: /clock|time|now/i},
  'sandbox:clock:until-idle': {shows: /clock|time|now/i},
  'sandbox:document': {args: ['/dev/null/passport.png'], code: 2, shows: 'cannot be written'},
  'sandbox:faults:add': {args: ['--method', 'GET', '--path', '/nowhere', '--kind', 'reset'], shows: 'reset'},
  'sandbox:faults:clear': {shows: /fault/i},
  'sandbox:faults:list': {shows: /fault/i},
  'sandbox:faults:set': {args: ['--list-lag', '0s'], shows: /lag/i},
  'sandbox:fund': {args: [seeded.wallet, '--amount', '5'], shows: '5'},
  'sandbox:token': {args: ['--expires-in', '1m'], shows: /eyJ[\w-]+\.[\w-]+\.[\w-]+/},
  'sandbox:magic': {shows: /magic|first name/i},
  'sandbox:requests': {shows: /GET|request/},
  'sandbox:reset': {shows: /seed|customers/i},
  'sandbox:seed': {shows: /seed|customers/i},
  'sandbox:settle': {args: [transactionId(1), '--outcome', 'completed'], code: 5, shows: transactionId(1)},
  'sandbox:snapshot:list': {shows: /snapshot/i},
  'sandbox:snapshot:restore': {args: ['none'], code: 5, shows: 'none'},
  'sandbox:snapshot:save': {args: ['built'], shows: 'built'},
  'sandbox:start': {args: ['--port', '99999'], code: 2, shows: '99999'},
  'sandbox:status': {shows: /customers/i},
  'sandbox:verify': {args: [customerId(1), '--outcome', 'approved'], code: 5, shows: customerId(1)},
  'sandbox:webhooks:add': {args: ['http://127.0.0.1:9/hook'], shows: 'http://127.0.0.1:9/hook'},
  'sandbox:webhooks:deliveries': {shows: /deliver|webhook/i},
  'sandbox:webhooks:list': {shows: /webhook|http/i},
  'sandbox:webhooks:remove': {args: ['none'], code: 5, shows: 'none'},
  'sandbox:webhooks:resend': {args: ['none'], code: 5, shows: 'none'},
  status: {args: sandbox, shows: 'Needs attention'},
  template: {args: ['customer'], shows: 'legalFirstName:'},
  tour: {args: ['-o', 'yaml'], code: 2, shows: 'A tour cannot be printed as yaml'},
  'transactions:create': {args: ['--quote', 'none', '--yes', ...sandbox], code: 5, shows: /quote/i},
  'transactions:get': {args: [seeded.processing, ...sandbox], shows: seeded.processing},
  'transactions:list': {args: ['--customer', seeded.customer, ...sandbox], shows: 'COMPLETED'},
  'transactions:watch': {args: [completed, ...sandbox], shows: 'COMPLETED'},
  whoami: {args: sandbox, shows: 'sandbox'},
}

// A command that is made from an operation of the sandbox needs no row above: it runs the first example of its help.
const made = Object.fromEntries(
  operationNames.flatMap((name): Array<[string, Example]> => {
    const [example] = Object.values(getOperation(name).examples ?? {})
    const words = name.split('.')
    const id = ['sandbox', ...words].join(':')
    if (example === undefined || id in rows) return []
    const args = example.split(' ').slice(['svc', 'sandbox', ...words].length)
    return [[id, {args, shows: /\S/}]]
  }),
)

const examples = {...rows, ...made}

describe('every command of the built program', () => {
  const homes = {} as {pipe: Home; terminal: Home}
  beforeAll(() => {
    homes.pipe = sharedHome()
    homes.terminal = sharedHome()
  })
  afterAll(() => {
    for (const {folder} of Object.values(homes)) fs.rmSync(folder, {recursive: true, force: true})
  })

  it('has an example here', () => {
    expect(Object.keys(examples).toSorted()).toEqual(Object.keys(manifest.commands).toSorted())
  })

  for (const [id, {args = [], code = 0, shows}] of Object.entries(examples)) {
    const words = [...id.split(':'), ...args]
    it(`svc ${id.replaceAll(':', ' ')} runs in a pipe and on a terminal`, async () => {
      const screen = onPty(homes.terminal, words, {cols: 200})
      const [piped, terminalCode] = await Promise.all([spawnSvc(homes.pipe, words), screen.ended])
      expect({...piped, terminal: screen.text()}).toMatchObject({code})
      expect(piped.out + piped.err).toMatch(shows)
      expect(piped.out + piped.err).not.toContain('\u001b')
      expect([terminalCode, screen.text()]).toEqual([code, expect.stringMatching(shows)])
    })
  }
})

describe('bin/dev.js', () => {
  it('runs svc from its sources', async () => {
    const {folder, env} = freshHome()
    const args = [path.join(root, 'bin/dev.js'), 'customers', 'list', '-p', 'sandbox', '--limit', '1', '--json']
    const {stdout} = await promisify(execFile)(process.execPath, args, {cwd: folder, env})
    expect(JSON.parse(stdout)).toHaveProperty('customers')
  })
})
