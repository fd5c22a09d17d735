// What svc keeps of the answers about a customer: a draft, then what was sent, both private, and their removal.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {kycFile, writeDocuments} from '../support/customer-answers.ts'
import {customer, customerId, reply, serve} from '../support/service.ts'
import {type Home, freshHome, run} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'
import {answer, choose, keys, pressKey, waitForText} from '../support/wizard-keys.ts'

const create = ['customers', 'create']

const listFiles = ({folder}: Home) =>
  fs
    .readdirSync(folder, {recursive: true, encoding: 'utf8'})
    .filter((name) => /answers\/.*\.json$/.test(name))
    .map((name) => path.join(folder, name))

// A service that has one customer in the given status once something was sent.
function serveOne(status: () => string) {
  let isMade = false
  return serve(({method, path: asked}, response) => {
    if (method === 'POST') isMade = true
    const one = customer(1, {customerStatus: status(), verificationIssues: []})
    if (method === 'GET' && asked === '/customers') return reply(response, 200, {customers: isMade ? [one] : []})
    return reply(response, 200, asked === '/customers' || asked.includes(customerId(1)) ? one : {})
  })
}

// Starts with a file in which the email is missing, and answers up to the review.
async function openReview(home: Home, env: Record<string, string>, flags: readonly string[] = []) {
  writeDocuments(home)
  fs.writeFileSync(path.join(home.folder, 'kyc.yaml'), kycFile.replace(/^email: .*\n/m, ''))
  const screen = onTerminal(home, [...create, '-f', 'kyc.yaml', ...flags], {env})
  await answer(screen, 'Email address:', 'zephyrine@example.com')
  return screen
}

async function sendCustomer(home: Home, env: Record<string, string>): Promise<void> {
  const screen = await openReview(home, env)
  await answer(screen, 'What now?')
  expect(await screen.ended).toBe(0)
}

describe('a draft', () => {
  it('is saved after each answer, is private, and is offered at the question that was left', async () => {
    const home = freshHome()
    const {env} = await serveOne(() => 'CREATED')
    const first = onTerminal(home, create, {env})
    await answer(first, 'A person or a business?')
    await pressKey(first, 'Email address:', keys.stop)
    expect(await first.ended).toBe(130)
    expect(first.words()).toContain('Your answers are kept: `svc customers create` offers to go on with them.')
    const [file = ''] = listFiles(home)
    expect(fs.statSync(file).mode & 0o777).toBe(0o600)
    const second = onTerminal(home, create, {env})
    await answer(second, 'Go on with your draft?')
    await answer(second, 'Email address:', 'ada@example.com')
    await answer(second, 'Enter the verification data now?', 'n')
    await answer(second, 'First name:', 'Ada')
    await answer(second, 'Last name:')
    await answer(second, 'What now?')
    expect(await second.ended).toBe(0)
    expect(listFiles(home)).toEqual([])
  })

  it('survives an answer of the service that refuses the data, and a dry run', async () => {
    const home = freshHome()
    const service = await serve(({method}, response) =>
      method === 'GET'
        ? reply(response, 200, {customers: []})
        : reply(response, 400, {error: 'BAD_REQUEST', message: 'email is taken', statusCode: 400}),
    )
    const screen = await openReview(home, service.env)
    await answer(screen, 'What now?')
    await waitForText(screen, 'email is taken')
    await pressKey(screen, 'What now?', keys.stop)
    expect(await screen.ended).toBe(130)
    expect(listFiles(home)).toHaveLength(1)
    const again = onTerminal(home, [...create, '--dry-run'], {env: service.env})
    await answer(again, 'Go on with your draft?')
    await answer(again, 'What now?')
    expect(await again.ended).toBe(0)
    expect(listFiles(home)).toHaveLength(1)
  })

  it('is deleted by starting anew, and neither offered nor replaced for another kind of customer', async () => {
    const home = freshHome()
    const {env} = await serveOne(() => 'CREATED')
    const first = onTerminal(home, create, {env})
    await answer(first, 'A person or a business?')
    await pressKey(first, 'Email address:', keys.stop)
    await first.ended
    const other = onTerminal(home, [...create, '--type', 'BUSINESS'], {env})
    await waitForText(other, 'Your draft of `svc customers create` stays, and these answers are not kept.')
    await answer(other, 'Email address:', 'quill@example.com')
    await pressKey(other, 'Enter the verification data now?', keys.stop)
    await other.ended
    expect(fs.readFileSync(listFiles(home)[0] ?? '', 'utf8')).not.toContain('quill@example.com')
    const anew = onTerminal(home, create, {env})
    await choose(anew, 'Go on with your draft?', keys.down, 'Start anew')
    await pressKey(anew, 'A person or a business?', keys.stop)
    expect(await anew.ended).toBe(130)
    expect(listFiles(home)).toEqual([])
  })

  it('is not kept with --no-draft', async () => {
    const home = freshHome()
    const {env} = await serveOne(() => 'CREATED')
    const screen = await openReview(home, env, ['--no-draft'])
    expect(listFiles(home)).toEqual([])
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    expect(listFiles(home)).toEqual([])
  })
})

describe('what was sent', () => {
  it.each([
    'customers list',
    `customers get ${customerId(1)}`,
    `accounts list --customer ${customer(1).email}`,
    'status',
  ])('stays until `svc %s` sees that the customer takes no more data', async (args) => {
    const home = freshHome()
    let status = 'UNDER_REVIEW'
    const {env} = await serveOne(() => status)
    await sendCustomer(home, env)
    await run(home, ['customers', 'list'], {env})
    expect(listFiles(home)).toHaveLength(1)
    expect(fs.statSync(listFiles(home)[0] ?? '').mode & 0o777).toBe(0o600)
    status = 'ACTIVE'
    await run(home, args.split(' '), {env})
    expect(listFiles(home)).toEqual([])
  })

  it('is removed after 30 days by any command that reads customers', async () => {
    const home = freshHome()
    const {env} = await serveOne(() => 'UNDER_REVIEW')
    await sendCustomer(home, env)
    const dayMs = 86_400_000
    const setAge = (days: number) =>
      fs.utimesSync(listFiles(home)[0] ?? '', new Date(), new Date(Date.now() - days * dayMs))
    setAge(29)
    await run(home, ['customers', 'list'], {env})
    expect(listFiles(home)).toHaveLength(1)
    setAge(31)
    await run(home, ['customers', 'list'], {env})
    expect(listFiles(home)).toEqual([])
  })
})
