// Another user of this machine reads the process list while a browser starts, knows the port, and tries to give the person's yes, to
// look at the console, or to open a form. The other user is a real process, with another user id where the tests may set one.
import {spawn} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {beforeAll, describe, expect, it, onTestFinished} from 'vitest'
import {askForYes} from '../mcp/agent.ts'
import {type GivenPage, createBrowserLauncher} from '../../support/browser-launcher.ts'
import {enterPage} from '../../support/entrance.ts'
import {listTransactions} from '../../support/payments.ts'
import {freshHome} from '../../support/svc.ts'
import {onPty} from '../../support/terminal.ts'
import {seeded} from '../../support/transactions.ts'

// As root the tests start it as nobody. Everybody else cannot, and then it does not read the files of its own user.
const isRoot = process.getuid?.() === 0
const nobody = 65_534

// The project may be in a folder that only its owner can enter, with Node in it, so the other user gets a copy.
let publicNode = process.execPath

beforeAll(() => {
  if (!isRoot) return undefined
  const folder = fs.mkdtempSync('/tmp/svc-test-node-')
  fs.chmodSync(folder, 0o755)
  publicNode = path.join(folder, 'node')
  fs.copyFileSync(process.execPath, publicNode)
  fs.chmodSync(publicNode, 0o755)
  return () => fs.rmSync(folder, {recursive: true})
})

interface Loot {
  opened: Array<{address: string; text: string}>
  files: string[]
  answered: string[]
  // The lines of the process list that name the folder or the server.
  processList: string[]
}

async function sendSpy({link}: GivenPage, folder: string): Promise<Loot> {
  const spy = path.join(import.meta.dirname, 'spy.ts')
  // Its source is given to it, since it may not be allowed to read the folder of the project.
  const source = fs.readFileSync(spy, 'utf8')
  const words = [
    '--input-type=module-typescript',
    '--eval',
    source,
    '--',
    new URL(link).port,
    folder,
    isRoot ? 'other' : 'same',
  ]
  const child = spawn(publicNode, words, {cwd: '/', env: {}, ...(isRoot && {uid: nobody, gid: nobody})})
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject))
  expect(err).toBe('')
  return JSON.parse(out) as Loot
}

const nothing = {opened: [], files: [], answered: []}

// What the browser was given stands in the process list, and none of it helps.
function expectNothing(loot: Loot, {argument, link}: GivenPage): void {
  const {processList, ...rest} = loot
  expect(isRoot ? rest : {...rest, files: []}).toEqual(nothing)
  expect(processList).toContain(argument)
  expect(processList.join('\n')).not.toContain(link)
}

describe.skipIf(process.platform !== 'linux')('another user of the machine', () => {
  it('cannot give the yes of a person, nor read its page', async () => {
    const {home, agent, launcher: browser, paying} = await askForYes()
    const before = (await listTransactions(home)).length
    const given = await browser.readGiven()
    expectNothing(await sendSpy(given, browser.temporary), given)
    browser.end()
    expect(await listTransactions(home)).toHaveLength(before)
    // The person opens the page. After that the file is gone, and the link is worth nothing.
    expect(agent.listPages()).toEqual([])
    const {url, cookie} = await enterPage(given.link)
    await expect
      .poll(() => fs.readdirSync(browser.temporary).filter((name) => name.startsWith('svc-open-')))
      .toEqual([])
    expect((await fetch(given.link)).status).toBe(403)
    expect((await fetch(url)).status).toBe(403)
    const page = await (await fetch(url, {headers: {cookie}})).text()
    const proof = /name="proof" value="([^"]+)"/.exec(page)?.[1] ?? ''
    const form = new URLSearchParams({proof, answer: 'yes'})
    await fetch(url, {method: 'POST', body: form, headers: {cookie, origin: new URL(url).origin}})
    expect(await paying).toMatchObject({exitCode: 0})
    expect(await listTransactions(home)).toHaveLength(before + 1)
  })

  it.each([
    ['the console of the sandbox', ['console', '-p', 'sandbox']],
    ['the console of svc sandbox start', ['sandbox', 'start', '--port', '0', '--web']],
    ['a hosted form', ['open', seeded.customer, '-p', 'sandbox']],
  ])('cannot open %s', async (_, args) => {
    const home = freshHome()
    const browser = createBrowserLauncher(home, {isSlow: true})
    const screen = onPty(home, args, {cols: 200, env: browser.env})
    onTestFinished(() => screen.kill('SIGKILL'))
    const given = await browser.readGiven()
    expectNothing(await sendSpy(given, browser.temporary), given)
    browser.end()
    // The person can.
    expect((await fetch(given.link)).status).toBe(200)
    // Before that, Ctrl-C would end a command that is about to serve something.
    await screen.waitFor(/Ctrl-C/)
    screen.type('\u0003')
    expect(await screen.ended).toBe(0)
    expect(fs.readdirSync(browser.temporary).filter((name) => name.startsWith('svc-open-'))).toEqual([])
  })
})
