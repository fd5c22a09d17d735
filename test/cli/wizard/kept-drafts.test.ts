// The draft that a wizard keeps by itself: nothing typed is lost, and it is offered where it belongs and nowhere else.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {login} from '../../profiles/logins.ts'
import {answer, choose, keys, pressKey, waitForText} from '../../support/wizard-keys.ts'
import {type Service, customer, customerId, reply, serve} from '../../support/service.ts'
import {type Home, freshHome} from '../../support/svc.ts'
import {type Screen, onPty, onTerminal} from '../../support/terminal.ts'

const create = ['customers', 'create']
const offer = 'Go on with your draft?'

const serveCustomer = () =>
  serve(({method}, response) =>
    reply(response, 200, customer(1, {customers: [], customerStatus: method === 'GET' ? 'CREATED' : 'UNDER_REVIEW'})),
  )

const getFolder = ({env}: Home) => path.join(String(env['SVC_CONFIG_DIR']), 'state', 'drafts')

const listFiles = (home: Home) => (fs.existsSync(getFolder(home)) ? fs.readdirSync(getFolder(home)) : [])

const listDrafts = (home: Home) => listFiles(home).filter((name) => name.endsWith('.json'))

const readDraft = (home: Home, index = 0) =>
  JSON.parse(fs.readFileSync(path.join(getFolder(home), listDrafts(home)[index] ?? ''), 'utf8')) as {
    body: Record<string, unknown>
    at: {key: string}
  }

const listSentBodies = ({requests}: Service) =>
  requests.filter(({method}) => method !== 'GET').map(({body}) => JSON.parse(body) as unknown)

const start = (home: Home, service: Service, ...flags: string[]) =>
  onTerminal(home, [...create, ...flags], {env: service.env})

// Answers three questions and quits at the fourth.
async function leaveDraft(screen: Screen, key = keys.stop): Promise<void> {
  await answer(screen, 'A person or a business?')
  await answer(screen, 'Email address:', 'ada@example.com')
  await answer(screen, 'Enter the verification data now?', 'n')
  await pressKey(screen, 'First name:', key)
}

async function finish(screen: Screen): Promise<void> {
  await answer(screen, 'First name:', 'Ada')
  await answer(screen, 'Last name:', 'Example')
  await answer(screen, 'What now?')
  expect(await screen.ended).toBe(0)
}

const complete = {customerType: 'INDIVIDUAL', email: 'ada@example.com', firstName: 'Ada', lastName: 'Example'}

describe('a kept draft', () => {
  it('begins with the first answer, is private, returns to the question that was left, and goes when it is sent', async () => {
    const [home, service] = [freshHome(), await serveCustomer()]
    const screen = start(home, service)
    await screen.waitFor('? A person or a business?')
    expect(listDrafts(home)).toEqual([])
    await leaveDraft(screen)
    expect(await screen.ended).toBe(130)
    expect(screen.text()).toContain('Your answers are kept: `svc customers create` offers to go on with them.')
    const [file = ''] = listDrafts(home)
    expect(fs.statSync(path.join(getFolder(home), file)).mode & 0o777).toBe(0o600)
    expect(fs.statSync(getFolder(home)).mode & 0o777).toBe(0o700)
    const again = start(home, service)
    await waitForText(again, `? ${offer}`)
    await waitForText(again, 'Go on: ada@example.com, 2 answers, just now, left at “Customer: First name”')
    again.type(keys.enter)
    await finish(again)
    expect(again.text()).not.toMatch(/\? (Email address|A person or a business)/)
    expect(listSentBodies(service)).toEqual([complete])
    expect(listFiles(home)).toEqual([])
  })

  it('that is deleted leaves the copy of Ctrl-S as it was, and says where it is', async () => {
    const [home, service] = [freshHome(), await serveCustomer()]
    const screen = start(home, service)
    await answer(screen, 'A person or a business?')
    await pressKey(screen, 'Email address:', keys.save)
    await answer(screen, 'Save as:')
    const file = path.join(home.folder, 'draft.yaml')
    const saved = fs.readFileSync(file, 'utf8')
    await answer(screen, 'Email address:', 'ada@example.com')
    await pressKey(screen, 'Enter the verification data now?', keys.escape)
    await choose(screen, 'Stop here?', keys.down.repeat(2), 'Stop, and delete the answers')
    expect(await screen.ended).toBe(130)
    expect(screen.text()).toContain('The answers are deleted. draft.yaml stays as it was.')
    expect(fs.readFileSync(file, 'utf8')).toBe(saved)
    expect(listFiles(home)).toEqual([])
  })

  it.each([
    ['nothing was answered', 'email: ada@example.com\n', false],
    ['it is JSON, and the draft has the answers', '{"email": "ada@example.com"}\n', true],
    ['it has aliases, and the draft has the answers', '# Mine\nemail: &mail ada@example.com\n', true],
  ])('leaves a file of --resume as it is if %s', async (_, text, hasAnswer) => {
    const [home, service] = [freshHome(), await serveCustomer()]
    const file = path.join(home.folder, 'mine.yaml')
    fs.writeFileSync(file, text)
    const screen = start(home, service, '--resume', 'mine.yaml')
    if (hasAnswer) await answer(screen, 'A person or a business?')
    await pressKey(screen, hasAnswer ? 'Enter the verification data' : 'A person or a business?', keys.stop)
    expect(await screen.ended).toBe(130)
    expect(fs.readFileSync(file, 'utf8')).toBe(text)
    expect(
      screen
        .words()
        .includes('mine.yaml is left as it is, since svc cannot write the answers into it and keep the rest.'),
    ).toBe(hasAnswer)
    if (hasAnswer) expect(readDraft(home).body).toEqual({customerType: 'INDIVIDUAL', email: 'ada@example.com'})
  })

  it('is merged into a file of --resume that has comments, which stay', async () => {
    const [home, service] = [freshHome(), await serveCustomer()]
    const file = path.join(home.folder, 'mine.yaml')
    fs.writeFileSync(
      file,
      '# Mine\n\n# Who it is.\ncustomerType: # or BUSINESS\nemail: ada@example.com # work\nname:\n',
    )
    const screen = start(home, service, '--resume', 'mine.yaml')
    await answer(screen, 'A person or a business?')
    await pressKey(screen, 'Enter the verification data', keys.stop)
    expect(await screen.ended).toBe(130)
    expect(screen.words()).toContain(
      'Saved to mine.yaml, with its comments. Continue later with `svc customers create --resume mine.yaml`.',
    )
    expect(fs.readFileSync(file, 'utf8')).toBe(
      '# Mine\n\n# Who it is.\ncustomerType: INDIVIDUAL # or BUSINESS\nemail: ada@example.com # work\nname:\n',
    )
    expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  })

  it('is asked about on Esc, which goes on by default, or deletes the answers', async () => {
    const [home, service] = [freshHome(), await serveCustomer()]
    const screen = start(home, service)
    await leaveDraft(screen, keys.escape)
    await answer(screen, 'Stop here?')
    await pressKey(screen, 'First name:', keys.escape)
    await pressKey(screen, 'Stop here?', keys.escape)
    await pressKey(screen, 'First name:', keys.escape)
    await choose(screen, 'Stop here?', keys.down.repeat(2), 'Stop, and delete the answers')
    expect(await screen.ended).toBe(130)
    expect(screen.text()).not.toContain('offers to go on with them')
    expect(listFiles(home)).toEqual([])
    const first = start(home, service)
    await pressKey(first, 'A person or a business?', keys.escape)
    expect(await first.ended).toBe(130)
    expect(first.text()).not.toContain('Stop here?')
  })

  it('is kept or deleted when a new one is started, and several are told apart', async () => {
    const [home, service] = [freshHome(), await serveCustomer()]
    await leaveDraft(start(home, service))
    const second = start(home, service)
    await choose(second, offer, keys.down, 'Start anew, and keep it for later')
    await leaveDraft(second)
    expect(await second.ended).toBe(130)
    expect(listDrafts(home)).toHaveLength(2)
    const third = start(home, service)
    await choose(third, 'Go on with one of your 2 drafts?', keys.down.repeat(3), 'Start anew, and delete them')
    await pressKey(third, 'A person or a business?', keys.stop)
    expect(await third.ended).toBe(130)
    expect(listFiles(home)).toEqual([])
  })

  it('is not written with --no-draft, which loses the answers only after a question, and none is offered', async () => {
    const [home, service] = [freshHome(), await serveCustomer()]
    await leaveDraft(start(home, service))
    const screen = start(home, service, '--no-draft')
    await leaveDraft(screen, keys.escape)
    await choose(screen, 'Stop here?', keys.down, 'Stop; the answers are lost')
    expect(await screen.ended).toBe(130)
    expect(screen.text()).not.toContain(offer)
    expect(listDrafts(home)).toHaveLength(1)
  })

  it('is offered neither to another profile or service, nor for another type, customer or command', async () => {
    const [home, service] = [freshHome(), await serveCustomer()]
    const other = await serveCustomer()
    await leaveDraft(start(home, service))
    await login(home, 'acme', service.url)
    const commands: Array<[string[], Record<string, string>, string]> = [
      [create, other.env, 'A person or a business?'],
      [[...create, '-p', 'acme'], {}, 'A person or a business?'],
      [[...create, '-p', 'sandbox'], {}, 'A person or a business?'],
      [[...create, '--type', 'BUSINESS'], service.env, 'Email address:'],
      [['customers', 'update', customerId(1)], service.env, 'What do you want to submit?'],
    ]
    for (const [args, env, question] of commands) {
      const screen = onTerminal(home, args, {env})
      await pressKey(screen, question, keys.stop)
      expect(await screen.ended).toBe(130)
      expect(screen.text()).not.toContain('draft?')
    }
  })

  it('says which fields it has that this version does not know, keeps them, and does not send them', async () => {
    const [home, service] = [freshHome(), await serveCustomer()]
    await leaveDraft(start(home, service))
    const [name = ''] = listDrafts(home)
    const draft = readDraft(home)
    const newer = {...draft, mood: 'sunny', body: {...draft.body, shoeSize: 44}}
    fs.writeFileSync(path.join(getFolder(home), name), JSON.stringify(newer))
    const screen = start(home, service)
    await answer(screen, offer)
    await waitForText(screen, 'This version of svc does not know shoeSize of the draft: kept there, and not sent')
    await answer(screen, 'First name:', 'Ada')
    await waitForText(screen, '? Last name:')
    expect(readDraft(home).body).toMatchObject({shoeSize: 44, firstName: 'Ada'})
    screen.type('Example\r')
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    expect(listSentBodies(service)).toEqual([complete])
  })

  it('in a file of svc may have unknown fields as well, which --allow-unknown-fields sends', async () => {
    const [home, service] = [freshHome(), await serveCustomer()]
    const heading = '# Draft of `svc customers create` with personal data.'
    fs.writeFileSync(
      path.join(home.folder, 'draft.yaml'),
      `${heading}\ncustomerType: INDIVIDUAL\nemail: a@example.com\nlastName: Example\nmood: sunny\n`,
    )
    for (const flags of [[], ['--allow-unknown-fields']]) {
      const screen = start(home, service, '--resume', 'draft.yaml', ...flags)
      await answer(screen, 'Enter the verification data now?', 'n')
      await answer(screen, 'What now?')
      expect(await screen.ended).toBe(0)
      expect(screen.text().includes('does not know mood')).toBe(flags.length === 0)
    }
    const body = {customerType: 'INDIVIDUAL', email: 'a@example.com', lastName: 'Example'}
    expect(listSentBodies(service)).toEqual([body, {...body, mood: 'sunny'}])
  })

  it('is kept when the service rejects the data, and says so', async () => {
    const home = freshHome()
    const rejection = {error: 'BAD_REQUEST', message: 'email is taken', statusCode: 400}
    const service = await serve((_, response) => reply(response, 400, rejection))
    const screen = start(home, service)
    await answer(screen, 'A person or a business?')
    await answer(screen, 'Email address:', 'ada@example.com')
    await answer(screen, 'Enter the verification data now?', 'n')
    await answer(screen, 'First name:')
    await answer(screen, 'Last name:')
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(3)
    expect(screen.text()).toContain('Your answers are kept')
    const again = start(home, service)
    await waitForText(again, '2 answers, just now, complete, not sent')
    again.type(keys.enter)
    await pressKey(again, 'What now?', keys.stop)
    expect(await again.ended).toBe(130)
  })
})

describe('a draft that cannot be written', () => {
  it('does not end the wizard, which says so once', async () => {
    const [home, service] = [freshHome(), await serveCustomer()]
    fs.mkdirSync(path.dirname(getFolder(home)), {recursive: true})
    fs.writeFileSync(getFolder(home), 'not a folder')
    const screen = start(home, service)
    await answer(screen, 'A person or a business?')
    await waitForText(screen, 'The answers cannot be kept')
    await answer(screen, 'Email address:', 'ada@example.com')
    await answer(screen, 'Enter the verification data now?', 'n')
    await finish(screen)
    expect(screen.text().match(/cannot be kept/g)).toHaveLength(1)
    expect(listSentBodies(service)).toEqual([complete])
  })
})

describe('a wizard that is killed', () => {
  it('loses at most the answer being typed, and two at once keep a draft each', async () => {
    const [home, service] = [freshHome(), await serveCustomer()]
    const killed = onPty(home, create, {env: service.env})
    await answer(killed, 'A person or a business?')
    await answer(killed, 'Email address:', 'first@example.com')
    await answer(killed, 'Enter the verification data now?', 'n')
    await waitForText(killed, '? First name:')
    // The draft of a wizard that runs is in use, so the second one is not asked about it.
    const other = start(home, service)
    await answer(other, 'A person or a business?')
    await answer(other, 'Email address:', 'second@example.com')
    await answer(other, 'Enter the verification data now?', 'n')
    await waitForText(other, '? First name:')
    expect(listDrafts(home)).toHaveLength(2)
    killed.type('half an ans')
    killed.kill('SIGKILL')
    await killed.ended
    other.type(keys.stop)
    expect(await other.ended).toBe(130)
    const emails = new Set([0, 1].map((index) => readDraft(home, index).body['email']))
    expect(emails).toEqual(new Set(['first@example.com', 'second@example.com']))
    const again = start(home, service)
    await choose(again, 'Go on with one of your 2 drafts?', 'first@', 'Go on: first@example.com, 2 answers')
    await finish(again)
    expect(listSentBodies(service)).toEqual([{...complete, email: 'first@example.com'}])
    expect(listDrafts(home)).toHaveLength(1)
  })
})
