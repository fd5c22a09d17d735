// Every command with arguments with which it can run in a new sandbox.
import manifest from '../../oclif.manifest.json' with {type: 'json'}
import {payment} from '../support/payments.ts'
import {customerId} from '../support/service.ts'
import {seeded, transactionId} from '../support/transactions.ts'

const sandbox = ['-p', 'sandbox']
const completed = '604b993b-352e-4ec4-a911-31e2bed9308b'
const route = payment('built', '1').slice(1, -4)

export interface CommandSpec {
  // Those after the command itself.
  args?: string[]
  // The exit code; 0 unless it says otherwise.
  code?: number
  // The width of the terminal, where paths of the test's folder would be wrapped.
  cols?: number
  // Runs until it is stopped, or for long, without arguments.
  isLong?: true
}

// By the id of the command.
const rows: Record<string, CommandSpec> = {
  api: {args: ['GET', '/customers?pageSize=1', ...sandbox]},
  autocomplete: {args: ['bash']},
  codes: {args: ['DOC_QUALITY_POOR']},
  console: {isLong: true, args: ['--timeout', '100ms', '--no-open', ...sandbox]},
  'customers:create': {
    args: ['--type', 'INDIVIDUAL', '--email', 'ada@example.com', '--dry-run', '--no-input', ...sandbox],
  },
  'customers:fix': {args: [seeded.customer, '--no-input', ...sandbox], code: 2},
  'customers:update': {
    args: [seeded.customer, '--email', 'not an address', '--no-input', ...sandbox],
    code: 2,
  },
  'customers:watch': {args: [seeded.customer, ...sandbox]},
  docs: {},
  doctor: {cols: 200, args: sandbox},
  'events:listen': {isLong: true, args: ['--port', '0', '--timeout', '100ms']},
  'events:resend': {args: ['evt_none', ...sandbox], code: 5},
  'events:show': {args: ['evt_none', ...sandbox], code: 5},
  'events:trigger': {args: ['--customer', seeded.customer, '--dry-run', ...sandbox]},
  'events:verify': {args: ['--secret-file', 'nowhere', 'nothing'], code: 2},
  mcp: {isLong: true, args: ['--tools', '--allow-writes']},
  'journal:copy': {args: ['--from', 'none', '--to', 'none'], code: 2},
  'journal:export': {args: ['--since', '1d', ...sandbox]},
  'journal:init': {args: sandbox, code: 2},
  'journal:settle': {args: ['none', '--abandon', '--why', 'a test', '--yes', ...sandbox], code: 5},
  'journal:show': {args: ['none', ...sandbox], code: 5},
  'policy:set': {args: ['none.yaml', ...sandbox], code: 2},
  'policy:show': {args: sandbox, code: 5},
  'journal:verify': {args: ['none.json'], code: 2},
  logout: {args: sandbox, code: 2},
  login: {args: ['--no-input'], code: 2},
  open: {args: [seeded.customer, '--no-open', ...sandbox]},
  pay: {args: [...route, '--amount', '1', '--key', 'built', '--dry-run', ...sandbox]},
  approve: {args: ['nowhere.csv', '--show', ...sandbox], code: 2},
  'payouts:cancel': {args: ['b2222', ...sandbox], code: 2},
  'payouts:pause': {args: ['b2222', ...sandbox], code: 2},
  'payouts:resume': {args: ['b2222', ...sandbox], code: 2},
  'payouts:status': {args: sandbox, code: 2},
  'payouts:submit': {args: ['nowhere.csv', ...sandbox], code: 2},
  'payouts:work': {args: ['--until-idle', ...sandbox], code: 2},
  'payouts:run': {args: ['nowhere.csv', ...sandbox], code: 2},
  'profiles:list': {},
  'profiles:remove': {args: ['acme'], code: 2},
  'profiles:set': {args: ['acme', '--no-read-only'], code: 2},
  'profiles:show': {args: ['sandbox']},
  'profiles:use': {args: ['acme'], code: 2},
  'quotes:create': {args: [...route, '--amount', '1', ...sandbox]},
  reconcile: {args: ['--since', '1d', '--customer', seeded.customer, ...sandbox]},
  report: {args: ['--since', '1d', ...sandbox]},
  'rules:apply': {args: ['-f', 'nowhere.yaml', ...sandbox], code: 2},
  'rules:create': {args: ['--no-input', ...sandbox], code: 2},
  'rules:delete': {args: ['rule_none', '--yes', ...sandbox], code: 5},
  'rules:get': {args: ['rule_none', ...sandbox], code: 5},
  'rules:update': {args: ['rule_none', '--amount', '5', '--yes', ...sandbox], code: 5},
  'sandbox:document': {args: ['/dev/null/passport.png'], code: 2},
  'sandbox:token': {args: ['--expires-in', '1m']},
  'sandbox:settle': {args: [transactionId(1), '--outcome', 'completed'], code: 5},
  'sandbox:snapshot:restore': {args: ['none'], code: 5},
  'sandbox:start': {isLong: true, args: ['--port', '99999'], code: 2},
  'sandbox:verify': {args: [customerId(1), '--outcome', 'approved'], code: 5},
  'sandbox:webhooks:remove': {args: ['none'], code: 5},
  'sandbox:webhooks:resend': {args: ['none'], code: 5},
  template: {args: ['customer']},
  tour: {isLong: true, args: ['-o', 'yaml'], code: 2},
  'transactions:create': {args: ['--quote', 'none', '--yes', ...sandbox], code: 5},
  'transactions:list': {args: ['--customer', seeded.customer, ...sandbox]},
  'transactions:watch': {args: [completed, ...sandbox]},
}

// A command whose first example is for the sandbox runs it, and any other that has no row above needs no arguments.
const others = Object.fromEntries(
  Object.entries<{examples?: Array<{command: string}>}>(manifest.commands).map(([id, {examples}]) => {
    const words = examples?.[0]?.command.split(' ') ?? []
    const isForSandbox = words[1] === 'sandbox' || words.join(' ').endsWith('-p sandbox')
    return [id, {args: isForSandbox ? words.slice(id.split(':').length + 1) : sandbox}]
  }),
)

export const commands: Readonly<Record<string, CommandSpec>> = {...others, ...rows}
