// Unknown words on the command line: the error names the nearest known word and never repeats a secret. A topic is known.
import {expect, it} from 'vitest'
import {freshHome, run} from '../support/svc.ts'

const secret = 'sk_ARGSECRET'

it.each([
  [['login', secret, '--base-url', 'http://127.0.0.1:1']],
  [['login', 'hunter2ARGSECRET']],
  [['login', `--api-key=${secret}`]],
  [['login', '--api-key', secret]],
  [['customers', 'list', secret]],
  [['customers', secret]],
  [[secret]],
])('A secret on the command line is not repeated: %j', async (args) => {
  for (const env of [{}, {SVC_DEBUG: '1'}]) {
    const {code, out, err} = await run(freshHome(), args, {env})
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).not.toContain('ARGSECRET')
  }
})

it.each([
  ['customers', 'svc customers COMMAND'],
  ['sandbox webhooks', 'svc sandbox webhooks COMMAND'],
  ['customers -p sandbox', 'svc customers COMMAND'],
  ['-p acme customers', 'svc customers COMMAND'],
  ['sandbox webhooks --profile=sandbox', 'svc sandbox webhooks COMMAND'],
  ['help -p sandbox', 'About a command: svc COMMAND --help'],
  ['help customers -p sandbox', 'svc customers COMMAND'],
  ['-p sandbox customers --help', 'svc customers COMMAND'],
])('A topic alone shows its commands, whatever the profile is: %s', async (typed, shown) => {
  const {code, out} = await run(freshHome(), typed.split(' '))
  expect([code, out]).toEqual([0, expect.stringContaining(shown)])
})

it.each([
  ['customers -p sandbox list --all -o csv --columns name', 'customers list -p sandbox --all -o csv --columns name'],
  ['-p sandbox customers --columns name list --all -o csv', 'customers list -p sandbox --all -o csv --columns name'],
  ['profiles --json list', 'profiles list --json'],
  ['sandbox --output=json webhooks list', 'sandbox webhooks list --output=json'],
  ['sandbox webhooks -o json list', 'sandbox webhooks list -o json'],
  ['customers -o json get nobody -p sandbox', 'customers get nobody -o json -p sandbox'],
])('Flags of every command may stand between its words: %s', async (typed, usual) => {
  const home = freshHome()
  const expected = await run(home, usual.split(' '))
  expect(expected.err).not.toContain('is a topic')
  expect(await run(home, typed.split(' '))).toEqual(expected)
})

it.each([
  'customers --json',
  'customers --nope',
  'sandbox webhooks -o jsonl',
  'customers --nope secret',
  'customers -o json -- list',
])('A topic is no command with other flags: %s', async (typed) => {
  const {code, out, err} = await run(freshHome(), typed.split(' '))
  expect({code, out}).toEqual({code: 2, out: ''})
  expect(err).toContain('is a topic, not a command')
})

it.each([
  ['customers lsit', 'customers list'],
  ['custmers', 'customers'],
])('An unknown command is answered with the nearest one, and runs nothing: %s', async (typed, nearest) => {
  const {code, out, err} = await run(freshHome(), typed.split(' '))
  expect({code, out}).toEqual({code: 2, out: ''})
  expect(err).toBe(
    `svc: There is no command "${typed}". Did you mean \`svc ${nearest}\`? \`svc help\` lists all commands.\n`,
  )
})
