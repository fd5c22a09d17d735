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

it.each(['customers', 'sandbox webhooks'])('A topic alone shows its commands: %s', async (typed) => {
  const {code, out} = await run(freshHome(), typed.split(' '))
  expect([code, out]).toEqual([0, expect.stringContaining(`  $ svc ${typed} COMMAND`)])
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
