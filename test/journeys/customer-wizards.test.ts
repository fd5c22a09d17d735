// Customers created in the wizard: a person, and a business with two owners. A file with the same values sends the same body.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {answer, keys, waitForText} from '../support/wizard-keys.ts'
import {customer, customerId, reply, serve, serveFirstCustomer} from '../support/service.ts'
import {type Home, freshHome, json, run} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'
import {hiddenNumbers, kycFile, answerKyb, answerKyc, writeDocuments} from '../support/customer-answers.ts'

const create = ['customers', 'create']

async function getStatusAfterReview(home: Home, email: string): Promise<unknown> {
  await run(home, ['sandbox', 'clock', 'advance', '1m'])
  const {out} = await run(home, ['customers', 'list', '-p', 'sandbox', '--limit', '3', '-o', 'jsonl'])
  return out
    .trim()
    .split('\n')
    .map(json)
    .find((each) => each['email'] === email)?.['customerStatus']
}

// The body that a file with the same values would send.
async function readBodyFromFile(home: Home, file: string): Promise<unknown> {
  const {out, err} = await run(home, [...create, '-f', file, '--dry-run', '--reveal'])
  expect(err).toBe('')
  return json(out)['body']
}

describe('a person in the wizard', () => {
  it('that was created before sends the same data as a file', async () => {
    const home = freshHome()
    writeDocuments(home)
    fs.writeFileSync(path.join(home.folder, 'whole.yaml'), kycFile)
    const service = await serveFirstCustomer(() => customer(1, {customerStatus: 'CREATED'}))
    const screen = onTerminal(home, ['customers', 'update', customerId(1)], {env: service.env})
    await answerKyc(screen)
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    const [read, sent] = service.requests
    expect([read?.method, sent?.method, service.requests.length]).toEqual(['GET', 'PATCH', 2])
    const {kycData} = (await readBodyFromFile(home, 'whole.yaml')) as {kycData: unknown}
    expect(JSON.parse(sent?.body ?? '')).toEqual({kycData})
  })
})

describe('a business in the wizard', () => {
  it('with two owners is approved, and no owner can hold more than is left', async () => {
    const home = freshHome()
    writeDocuments(home)
    const screen = onTerminal(home, [...create, '-p', 'sandbox', '--type', 'BUSINESS'])
    await answer(screen, 'Email address:', 'quill@example.com')
    await answer(screen, 'Enter the verification data now?', 'y')
    await answerKyb(screen, async () => {
      await waitForText(screen, 'from 0 to 39.5: the others hold 60.5')
      screen.type('40\r')
      await waitForText(screen, 'It is too much: the others hold 60.5 of 100 per cent, so 39.5 at most')
      screen.type(`${keys.clear}39.5\r`)
      await waitForText(screen, '✔ Share of the business in per cent: 39.5')
    })
    await waitForText(screen, 'Person 2 of 2, address')
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    for (const number of hiddenNumbers) expect(screen.raw()).not.toContain(number)
    expect(await getStatusAfterReview(home, 'quill@example.com')).toBe('ACTIVE')
  })
})

describe('a business that was refused', () => {
  const listFiles = (home: Home) =>
    fs.readdirSync(home.folder, {recursive: true, encoding: 'utf8'}).filter((name) => /answers\/.*\.json$/.test(name))

  it('is asked only for what was refused, of the owner concerned, and its answers are gone when it is ACTIVE', async () => {
    const home = freshHome()
    writeDocuments(home)
    const service = await serveRefusedBusiness()
    const screen = onTerminal(home, [...create, '--type', 'BUSINESS'], {env: service.env})
    await answer(screen, 'Email address:', 'quill@example.com')
    await answer(screen, 'Enter the verification data now?', 'y')
    await answerKyb(screen, () => answer(screen, 'Share of the business in per cent:', '39.5'))
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    const [kept = ''] = listFiles(home)
    expect(fs.statSync(path.join(home.folder, kept)).mode & 0o777).toBe(0o600)
    const fix = onTerminal(home, ['customers', 'fix', customerId(1), '--wait'], {env: service.env})
    await waitForText(fix, '? What should be corrected for BIRTH_DATE_MISMATCH?')
    await waitForText(fix, 'Amaryllis Quillfeather')
    fix.type(`7${keys.enter}`)
    await answer(fix, 'Date of birth:', `${keys.clear}1988-07-06`)
    await waitForText(fix, 'Person 1 of 2, identity\n  First name, as on the ID')
    await answer(fix, 'What now?')
    expect(await fix.ended).toBe(0)
    const bodies = service.requests
      .filter(({method}) => method !== 'GET')
      .map(({body}) => JSON.parse(body) as {kybData: {associatedPersons: unknown[]}})
    const [first, second] = bodies[0]?.kybData.associatedPersons ?? []
    expect(bodies[1]).toEqual({
      kybData: {associatedPersons: [first, {...(second as object), dateOfBirth: '1988-07-06'}]},
    })
    expect(listFiles(home)).toEqual([])
  })
})

// Refuses what is sent first, and approves the correction.
const serveRefusedBusiness = () => {
  let writes = 0
  const states = [
    {},
    {customerStatus: 'NEEDS_ADDITIONAL_INFORMATION', verificationIssues: [mismatch]},
    {customerStatus: 'ACTIVE'},
  ]
  return serve(({method, path: asked}, response) => {
    if (method !== 'GET') writes++
    if (method === 'GET' && asked === '/customers') return reply(response, 200, {customers: [], nextPageToken: ''})
    const state =
      method === 'POST'
        ? {customerStatus: 'CREATED'}
        : method === 'PATCH'
          ? {customerStatus: 'UNDER_REVIEW'}
          : states[writes]
    return reply(response, 200, customer(1, {customerType: 'BUSINESS', ...state}))
  })
}

const mismatch = {code: 'BIRTH_DATE_MISMATCH', message: 'Not as on the ID.', timestamp: '2026-11-01T12:34:56Z'}
