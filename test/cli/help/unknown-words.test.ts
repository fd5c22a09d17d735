// Unknown words on the command line: the error names the nearest known word and never repeats a secret.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {describeUnknownCommand} from '../../../src/cli/help/unknown-words.ts'
import {answers, commands, nouns, verbs} from '../../../src/cli/help/words-of-others.ts'
import {freshHome, root, run} from '../../support/svc.ts'

const secret = 'sk_ARGSECRET'

describe('A secret on the command line', () => {
  it.each([
    [['login', secret, '--base-url', 'http://127.0.0.1:1']],
    [['login', 'hunter2ARGSECRET']],
    [['login', `--api-key=${secret}`]],
    [['login', '--api-key', secret]],
    [['customers', 'list', secret]],
    [['customers', secret]],
    [[secret]],
  ])('is not repeated: %j', async (args) => {
    for (const env of [{}, {SVC_DEBUG: '1'}]) {
      const {code, out, err} = await run(freshHome(), args, {env})
      expect({code, out}).toEqual({code: 2, out: ''})
      expect(err).not.toContain('ARGSECRET')
    }
  })

  it('after login is answered with the ways to pass it', async () => {
    const {err} = await run(freshHome(), ['login', secret])
    expect(err).toContain('Type the secret at the prompt or pass it on standard input, or set SVC_API_KEY')
  })
})

describe('A name after svc pay', () => {
  it('is answered with the flag that takes it', async () => {
    const {code, err} = await run(freshHome(), ['pay', 'Amara Nwabueze'])
    expect(code).toBe(2)
    expect(err).toMatch(/^svc: Unexpected argument: Amara Nwabueze\. Name the customer with --customer, /)
  })
})

describe('An unknown flag', () => {
  it('is answered with the nearest one', async () => {
    const {err} = await run(freshHome(), ['customers', 'list', '--limt', '3'])
    expect(err).toBe('svc: Unknown flag --limt. Did you mean --limit? `svc customers list --help` lists all flags.\n')
  })

  it('of one letter is answered with the one in full', async () => {
    const {err} = await run(freshHome(), ['customers', 'list', '-q'])
    expect(err).toBe('svc: Unknown flag -q. Did you mean --quiet? `svc customers list --help` lists all flags.\n')
  })

  it.each([
    ['--fields', '--columns'],
    ['--query=.name', '--jq'],
    ['--format', '--output'],
  ])('of another tool is answered with ours: %s', async (typed, ours) => {
    const {code, err} = await run(freshHome(), ['customers', 'list', typed])
    expect(code).toBe(2)
    expect(err).toContain(`Did you mean ${ours}?`)
  })

  it('for the amount that is to arrive is answered with what the interface offers', async () => {
    for (const flag of ['--to-amount', '--destination-amount=25', '--amount-received']) {
      const {code, err} = await run(freshHome(), ['pay', flag, '25'])
      expect(code).toBe(2)
      expect(err).toContain('Say with --receive what is to arrive, and svc finds how much to send')
    }
    expect((await run(freshHome(), ['quotes', 'create', '--receive', '25'])).err).toContain(
      'the quote says what arrives',
    )
    expect((await run(freshHome(), ['customers', 'list', '--receive', '25'])).err).not.toContain('arrive:')
  })

  it('that excludes another is rejected with one sentence', async () => {
    const {err} = await run(freshHome(), ['customers', 'list', '--all', '--limit', '3'])
    expect(err).toMatch(/^svc: --limit=3 cannot also be provided when using --all\. /)
  })
})

describe('An unexpected id', () => {
  it('is repeated, because it is not a secret', async () => {
    const id = '7b0c9a52-3f64-4a6e-9d57-2f1f3b1c8e11'
    expect((await run(freshHome(), ['customers', 'list', id])).err).toContain(`Unexpected argument: ${id}`)
  })
})

describe('A command that another tool has', () => {
  const id = '7b0c9a52-3f64-4a6e-9d57-2f1f3b1c8e11'
  it.each([
    ['payments list', 'transactions list'],
    ['payment create', 'pay'],
    ['auth login', 'login'],
    ['auth status', 'whoami'],
    ['listen', 'events listen'],
    ['config', 'profiles list'],
    ['config set', 'profiles set'],
    ['ls', 'customers list'],
    ['get customers', 'customers list'],
    ['list customers', 'customers list'],
    [`get customer ${id}`, `customers get ${id}`],
    [`describe customers ${id}`, `customers get ${id}`],
    [`customers show ${id}`, `customers get ${id}`],
    ['customers describe', 'customers get'],
    ['customers ls', 'customers list'],
    ['delete rule', 'rules delete'],
    ['get /customers', 'api GET /customers'],
    ['payments', 'transactions'],
    ['completion', 'autocomplete'],
    ['wallets view', 'accounts get'],
    ['accounts find', 'accounts list'],
    ['accounts find olga', 'accounts list --customer olga'],
    ['search transactions olga', 'transactions list --customer olga'],
    ['payouts check payroll.csv', 'payouts run --dry-run payroll.csv'],
  ])('is answered with ours: %s', async (typed, ours) => {
    const words = typed.split(' ')
    const {code, out, err} = await run(freshHome(), [...words, '-p', 'sandbox'])
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toBe(
      `svc: There is no command "${words.slice(0, 2).join(' ')}". In svc it is \`svc ${ours}\`; \`svc help\` lists all commands.\n`,
    )
  })

  it.each([
    ['logout', ['logout', 'profiles remove']],
    ['balance', ['balance', 'accounts list']],
    ['trigger', ['events trigger', 'sandbox verify']],
  ])('names the first of ours that exists: %s', (typed, ours) => {
    const words = typed.split(' ')
    expect(describeUnknownCommand(words, ours).hint).toContain(`\`svc ${ours[0]}\``)
    expect(describeUnknownCommand(words, ours.slice(1)).hint).toContain(`\`svc ${ours[1]}\``)
  })

  it('is not completed with what may be a secret, nor mistaken for a typing error', () => {
    const known = ['customers get', 'customers list']
    const {hint = ''} = describeUnknownCommand(['customers', 'show', 'sk_ARGSECRET'], known)
    expect(hint).toContain('`svc customers get`;')
    expect(describeUnknownCommand(['customers', 'lsit'], known).hint).toContain('Did you mean `svc customers list`?')
    expect(describeUnknownCommand(['constructor', 'toString'], known).hint).toBe('`svc help` lists all commands')
  })
})

describe('What people type', () => {
  const manifest = JSON.parse(fs.readFileSync(path.join(root, 'oclif.manifest.json'), 'utf8')) as {commands: object}
  const known = Object.keys(manifest.commands).map((id) => id.replaceAll(':', ' '))
  const answer = (typed: string) => describeUnknownCommand(typed.split(' '), known).hint ?? ''
  const isCommand = (line: string) => known.some((name) => `${line} `.startsWith(`${name} `))

  it.each([
    ['refund', 'The service has no refunds'],
    ['refund payment 9884bda0', 'The service has no refunds'],
    ['transactions refund', 'The service has no refunds'],
    ['transactions cancel 9884bda0', 'The service cannot cancel or delete a transaction'],
    ['payments void', 'The service cannot cancel or delete a transaction'],
    ['undo', 'The service cannot cancel or delete a transaction'],
    ['retry', 'with the same --key it goes on where it stopped'],
    ['customers delete 4738020a', 'no request that deletes or closes a customer'],
    ['rm customer 4738020a', 'no request that deletes or closes a customer'],
    ['delete a customer', 'no request that deletes or closes a customer'],
    ['kyc', '`svc customers issues ID`'],
    ['customers verify', '`svc sandbox verify ID`'],
    ['accounts delete', 'The service cannot change or delete a payment account'],
    ['quotes list', '`svc transactions create --quote ID` pays it'],
    ['rules pause', 'The service cannot pause a rule'],
    ['journal delete rent', 'Nothing is ever changed or removed in the journal'],
    ['sandbox stop', 'until Ctrl-C'],
    ['keys', '`svc login` stores yours'],
    ['deposit', '`svc sandbox fund`'],
    ['version', '`svc --version`'],
    ['show 9884bda0', '`svc transactions get ID`'],
    ['new', '`svc customers create`'],
    ['edit', '`svc rules update ID`'],
    ['events replay evt_1', '`svc events resend evt_1`'],
    ['resend evt_1', '`svc events resend evt_1`'],
    ['webhooks redeliver evt_1', '`svc events resend evt_1`'],
    ['withdraw', '`svc pay`'],
    ['exchange', '`svc pay`'],
    ['rates', '`svc quotes create`'],
    ['setup', '`svc login`'],
    ['profiles create', '`svc login`'],
    ['export', '`svc journal export`'],
    ['transactions export', '`svc transactions list --all -o csv`'],
    ['payouts stop 7', '`svc payouts cancel 7`'],
    ['payouts show 7', '`svc payouts status 7`'],
    ['payroll payroll.csv', '`svc payouts run payroll.csv`'],
    ['rm rule rule_1', '`svc rules delete rule_1`'],
    ['cancel rule rule_1', '`svc rules delete rule_1`'],
    ['dashboard', '`svc console`'],
    ['limits', '`svc policy show`'],
    ['alias add', '`svc alias set`'],
    ['rules preview rule_1', '`svc rules simulate rule_1`'],
  ])('is answered with what helps: %s', (typed, expected) => {
    expect(answer(typed)).toContain(expected)
  })

  it('is answered with commands that exist, and by words that are no commands themselves', () => {
    const named = answers.flatMap(({text}) => [...text.matchAll(/`svc ([^`]+)`/g)].map(([, line = '']) => line))
    const ours = Object.values(commands).map((names) => names[0] ?? '')
    expect([...named, ...ours].filter((line) => !isCommand(line) && line !== '--version')).toEqual([])
    const answered = answers.flatMap(({topics, verbs: typed}) =>
      topics.flatMap((topic) => typed.map((verb) => `${topic} ${verb}`.trim())),
    )
    expect(answered.filter((line) => known.includes(line))).toEqual([])
    const topics = new Set(known.map((name) => name.split(' ')[0]))
    expect(Object.values(nouns).filter((topic) => !topics.has(topic))).toEqual([])
    const ourVerbs = new Set(known.map((name) => name.split(' ').at(-1)))
    const unknownVerbs = Object.values(verbs)
      .flat()
      .map((verb) => verb.replace(/ -.*$/, ''))
    expect(unknownVerbs.filter((verb) => !ourVerbs.has(verb))).toEqual([])
  })
})
