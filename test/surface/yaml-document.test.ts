// Unusual YAML files are rejected with exit code 2, the line and a reason, and their contents are never shown.
import fs from 'node:fs'
import path from 'node:path'
import {expect, it} from 'vitest'
import {customerId} from '../support/service.ts'
import {freshHome, run} from '../support/svc.ts'

const secret = '123-45-6789'

const depth = 100_000

const odd: ReadonlyArray<readonly [what: string, text: string, says: string]> = [
  ['an alias', 'a: &a 1\nb: *a\n', 'line 2 has an alias'],
  ['very deep JSON', '['.repeat(depth) + ']'.repeat(depth), 'is nested too deeply'],
  ['very deep YAML', `a: ${'['.repeat(depth)}${']'.repeat(depth)}`, 'is nested too deeply'],
  ['an unknown tag', `kycData:\n  nationalIdNumber: !vault "${secret}"\n`, 'line 2 is wrong: tag resolve failed'],
  ['a key that is an object', `? {nationalIdNumber: ${secret}}\n: x\n`, 'line 1 is wrong: non string key'],
  ['a list that turns into an object', `- a\nnationalIdNumber: ${secret}\n`, 'line 2 is wrong: unexpected token'],
  ['text without a closing quote', `a: "b\nnationalIdNumber: ${secret}\n`, 'line 3 is wrong: missing char'],
  ['an unknown escape sequence', String.raw`a: "\q${secret}"`, 'line 1 is wrong: bad dq escape'],
]

const writeYaml = (folder: string, text: string) => {
  fs.writeFileSync(path.join(folder, 'odd.yaml'), text)
  return 'odd.yaml'
}

it.each(odd)('A file with %s is rejected with its line, and none of its contents are shown', async (_, text, says) => {
  const home = freshHome()
  const args = ['api', 'POST', '/things', '-p', 'sandbox', '-f', writeYaml(home.folder, text)]
  const {code, out, err} = await run(home, args)
  expect({code, out}).toEqual({code: 2, out: ''})
  expect(err).toMatch(/^svc: [^\n]+\.\n$/)
  expect(err).toContain(says)
  expect(err).not.toContain(secret)
})

const readers: ReadonlyArray<readonly string[]> = [
  ['customers', 'create', '-f'],
  ['customers', 'update', customerId(1), '-f'],
  ['rules', 'create', '-f'],
  ['rules', 'apply', '-f'],
  ['quotes', 'create', '-f'],
  ['pay', '-f'],
  ['payouts', 'run'],
]

it.each(readers)('An unusual file is rejected by %s %s', async (...words) => {
  const home = freshHome()
  for (const [, text] of [odd[0], odd[5]] as Array<(typeof odd)[number]>) {
    const {code, out, err} = await run(home, [...words, writeYaml(home.folder, text), '-p', 'sandbox'])
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).not.toMatch(/Warning|failed unexpectedly/)
    expect(err).not.toContain(secret)
  }
})

const individual = ['customers', 'create', '--type', 'INDIVIDUAL', '--email', 'ada@example.com', '-f', '-']

it('What is blank in a file is left out, and what is empty on purpose is kept', async () => {
  const sent = await run(freshHome(), [...individual, '--dry-run', '--reveal', '--json'], {
    input: 'email:\nfirstName: Ada\nkycData:\n  legalFirstName:\n  documents:\n    - type:\n',
  })
  const body = {customerType: 'INDIVIDUAL', email: 'ada@example.com', firstName: 'Ada'}
  expect(JSON.parse(sent.out)).toMatchObject({body})
  expect(sent.out).not.toContain('kycData')
  const {code, err} = await run(freshHome(), individual, {input: 'firstName: null\n'})
  expect([code, err]).toEqual([2, expect.stringContaining('firstName must be text')])
})
