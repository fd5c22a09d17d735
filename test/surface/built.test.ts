// The built program, as people install it: one command of each of its bundles in a pipe and on a terminal, and bin/dev.js.
import {execFile} from 'node:child_process'
import path from 'node:path'
import {promisify} from 'node:util'
import {expect, it} from 'vitest'
import {freshHome, root, spawnSvc} from '../support/svc.ts'
import {onPty} from '../support/terminal.ts'
import {commands} from './commands.ts'

const started = [
  'customers:list',
  'customers:fix',
  'quotes:create',
  'pay',
  'journal:list',
  'payouts:run',
  'rules:export',
  'events:listen',
  'console',
  'mcp',
  'doctor',
  'sandbox:status',
  'tour',
]

it.each(started)('the built program runs svc %s in a pipe and on a terminal', async (id) => {
  const {args = [], code = 0} = commands[id] ?? {}
  const words = [...id.split(':'), ...args]
  const screen = onPty(freshHome(), words, {cols: 200})
  const [piped, terminalCode] = await Promise.all([spawnSvc(freshHome(), words), screen.ended])
  expect({...piped, terminalCode}).toMatchObject({code, terminalCode: code})
  expect(piped.out + piped.err).toMatch(/\S/)
  expect(piped.out + piped.err).not.toContain('\u001b')
})

it('bin/dev.js runs svc from its sources', async () => {
  const {folder, env} = freshHome()
  const args = [path.join(root, 'bin/dev.js'), 'customers', 'list', '-p', 'sandbox', '--limit', '1', '--json']
  const {stdout} = await promisify(execFile)(process.execPath, args, {cwd: folder, env})
  expect(JSON.parse(stdout)).toHaveProperty('customers')
})
