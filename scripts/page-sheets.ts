// Takes pictures of every page of svc, wide and narrow, light and dark, as it was in an earlier tree and as it is in this one, and
// writes one sheet for each page: npm run page-sheets -- EARLIER-TREE. Both trees must be built.
import {type ChildProcess, spawn, spawnSync} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {pathToFileURL} from 'node:url'
import {Client} from '@modelcontextprotocol/client'
import {StdioClientTransport} from '@modelcontextprotocol/client/stdio'
import {type Browser, type Page, chromium} from 'playwright-core'

const root = path.resolve(import.meta.dirname, '..')
const folder = path.join(root, 'docs/screenshots/pages')
const bytesMax = 100_000
const waitMs = 20_000
const clickMs = 5_000

// Of the seeded sandbox.
const customer = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'
const refused = 'e292d5ef-4a08-45ac-8bbf-a9b0fa868977'
const correcting = '1599214d-60c4-4ce0-b276-8e365cd63247'
const wallet = '64fbd491-4b09-49d5-b40c-8b27facb31a9'
const externalWallet = '5e24c2b3-ff61-4ecc-b251-513b79598ccd'
const bankAccount = 'e6086267-7e5a-4a91-b136-a94b38bbbfb8'

const height = 1_400
const looks = [
  {width: 1_280, colorScheme: 'light'},
  {width: 390, colorScheme: 'light'},
  {width: 1_280, colorScheme: 'dark'},
  {width: 390, colorScheme: 'dark'},
] as const

// The pictures of a page in all looks, as PNG.
type Pictures = Map<string, Buffer[]>

interface Tree {
  root: string
  home: string
  env: Record<string, string>
}

function createTree(where: string): Tree {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-sheets-'))
  const env = {HOME: home, PATH: process.env['PATH'] ?? '', SVC_CONFIG_DIR: path.join(home, 'config')}
  return {root: where, home, env: {...env, SVC_SANDBOX_FILE: path.join(home, 'sandbox.sqlite')}}
}

const getProgram = (tree: Tree) => path.join(tree.root, 'bin/run.js')

// An earlier tree may lack a command or a flag, so a failure only leaves something out.
function run(tree: Tree, ...args: string[]): string {
  const {home: cwd, env} = tree
  return spawnSync(process.execPath, [getProgram(tree), ...args], {cwd, env, encoding: 'utf8'}).stdout
}

const from = ['--from', wallet, '--from-currency', 'USDC', '--from-method', 'SOLANA']
const to = ['--to', externalWallet, '--to-currency', 'USDC', '--to-method', 'SOLANA']

const pay = (tree: Tree, key: string, amount: string, ...flags: string[]) =>
  run(tree, 'pay', '-p', 'sandbox', '--customer', customer, '--amount', amount, '--key', key, ...from, ...to, ...flags)

// Something of everything: payments that were made, refused, unknown and not approved, a rule, events, and people who wait.
function fill(tree: Tree): void {
  const keyFile = path.join(tree.home, 'alice')
  spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', keyFile])
  const key = fs.readFileSync(`${keyFile}.pub`, 'utf8').split(' ').slice(0, 2).join(' ')
  fs.writeFileSync(path.join(tree.home, 'allowed_signers'), `alice@example.com ${key}\n`)
  run(tree, 'sandbox', 'webhooks', 'add', 'http://127.0.0.1:9/')
  run(tree, 'sandbox', 'verify', refused, '--outcome', 'rejected', '--code', 'FRAUD_WARNING')
  pay(tree, 'food', '250.3333')
  pay(tree, 'lost', '10.01')
  run(tree, 'sandbox', 'clock', 'advance', '8d')
  pay(tree, 'rent-{month}', '1500')
  run(tree, 'sandbox', 'clock', 'until-idle')
  const rule = ['--name', 'payroll', '--customer', customer, '--from', wallet, '--from-currency', 'USDC']
  run(
    tree,
    'rules',
    'create',
    '-p',
    'sandbox',
    ...rule,
    '--to',
    bankAccount,
    '--amount',
    '100',
    '--cron',
    '0 9 * * 1-5',
  )
  const fault = ['--method', 'POST', '--path', '/transactions', '--kind', 'reset']
  run(tree, 'sandbox', 'faults', 'add', ...fault)
  pay(tree, 'insurance', '20', '--timeout', '1900ms')
  run(tree, 'sandbox', 'faults', 'clear')
  const account = ['--type', 'EXTERNAL_BANK_ACCOUNT', '--method', 'ACH', '--pending', '--customer', customer]
  run(tree, 'sandbox', 'accounts', 'add', ...account)
  run(tree, 'report', '-p', 'sandbox', '--out', 'report.html')
  run(tree, 'journal', 'prove', 'food', '-p', 'sandbox', '--out', 'proof.html')
}

// After the page that asks for a yes, which an agent gets only where nobody else has to approve.
function requireApprovals(tree: Tree): void {
  const policy = ['--approvals', '1', '--above', 'USDC=1600', '--signers', 'allowed_signers', '--cool-down', '0']
  run(tree, 'profiles', 'set', 'sandbox', ...policy)
  pay(tree, 'machine', '2000', '--write-plan', 'machine.yaml')
  run(tree, 'pay', '-f', 'machine.yaml', '-p', 'sandbox')
}

interface Running {
  url: string
  consoleUrl: string
  apiKey: string
  child: ChildProcess
}

function startSandbox(tree: Tree): Promise<Running> {
  const {home: cwd, env} = tree
  const args = [getProgram(tree), 'sandbox', 'start', '--port', '0', '--json']
  const child = spawn(process.execPath, args, {cwd, env, stdio: ['ignore', 'pipe', 'ignore']})
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`svc sandbox start ended with ${code}`)))
    child.stdout.setEncoding('utf8').once('data', (line: string) => resolve({...JSON.parse(line), child}))
  })
}

async function call(
  {url, apiKey}: Running,
  method: string,
  at: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(url + at, {
    method,
    headers: {authorization: `Bearer ${apiKey}`},
    ...(body && {body: JSON.stringify(body)}),
  })
  const reply = await response.text()
  if (!response.ok) throw new Error(`${method} ${at} was refused: ${reply}`)
  return JSON.parse(reply) as Record<string, unknown>
}

class Photographer {
  readonly pictures: Pictures = new Map()
  readonly #page: Page

  constructor(page: Page) {
    this.#page = page
  }

  // Takes what the page shows now.
  async take(name: string): Promise<void> {
    const taken: Buffer[] = []
    for (const {width, colorScheme} of looks) {
      await this.#page.setViewportSize({width, height})
      await this.#page.emulateMedia({colorScheme, reducedMotion: 'reduce'})
      taken.push(await this.#page.screenshot())
    }
    await this.#page.setViewportSize({width: 1_280, height})
    this.pictures.set(name, taken)
  }

  // A page that an earlier tree does not have is left out.
  async open(name: string, url: string, prepare?: (page: Page) => Promise<void>): Promise<void> {
    const response = await this.#page.goto(url)
    if (response && !response.ok()) return
    try {
      await prepare?.(this.#page)
      await this.take(name)
    } catch (error) {
      process.stderr.write(`${name} was left out: ${error instanceof Error ? error.message.split('\n', 1)[0] : ''}\n`)
    }
  }
}

// Follows the first link to the page of an item.
const openFirst =
  (name: string) =>
  async (page: Page): Promise<void> => {
    await page.locator(`main a[href*="/console/${name}?"]`).first().click({timeout: clickMs})
    await page.waitForLoadState()
  }

async function takeConsole(photographer: Photographer, page: Page, {consoleUrl}: Running): Promise<void> {
  await page.goto(consoleUrl)
  await page.waitForURL((url) => !url.pathname.includes('/enter/'))
  const at = (name: string) => page.url().replace(/^(https?:\/\/[^/]+\/[^/]+).*$/, '$1') + name
  const lists = ['customers', 'accounts', 'transactions', 'rules', 'events', 'journal', 'requests']
  await photographer.open('overview', at('/'))
  await photographer.open('search', at('/console/search?q=sepa'))
  for (const list of lists) await photographer.open(list, at(`/console/${list}`))
  await photographer.open('customer', at(`/console/customer?id=${customer}`))
  await photographer.open('refused-customer', at(`/console/customer?id=${refused}`))
  for (const [name, list] of [
    ['account', 'accounts'],
    ['rule', 'rules'],
    ['event', 'events'],
    ['request', 'requests'],
  ] as const) {
    await photographer.open(name, at(`/console/${list}`), openFirst(name))
  }
  await photographer.open('payment', at('/console/payment?key=food'))
  await photographer.open('transaction', at('/console/payment?key=food'), openFirst('transaction'))
  await photographer.open('controls', at('/console/sandbox'))
}

async function takeForms(photographer: Photographer, running: Running): Promise<void> {
  const create = async (customerType: string) =>
    String((await call(running, 'POST', '/customers', {customerType, email: 'ines@example.com'}))['verificationLink'])
  await photographer.open('form-person', await create('INDIVIDUAL'))
  await photographer.open('form-errors', await create('INDIVIDUAL'), async (page) => {
    await page.getByRole('button', {name: /^Next/}).last().click({timeout: clickMs})
  })
  await photographer.open('form-business', await create('BUSINESS'))
  const {verificationLink} = await call(running, 'GET', `/customers/${correcting}`)
  await photographer.open('form-corrections', String(verificationLink))
  const {paymentAccounts} = await call(running, 'GET', `/payment-accounts?customerId=${customer}`)
  const found = (paymentAccounts as Array<{bankAccountFormLink?: string}>).find((each) => each.bankAccountFormLink)
  if (found?.bankAccountFormLink) await photographer.open('form-bank-account', found.bankAccountFormLink)
}

// The page on which a person says yes to the payment of an agent. Its address is said on standard error.
async function takeYes(photographer: Photographer, page: Page, tree: Tree): Promise<void> {
  run(tree, 'profiles', 'set', 'sandbox', '--payment-max', 'USDC=2500', '--day-max', 'USDC=5000')
  const {home: cwd, env} = tree
  const args = [getProgram(tree), 'mcp', '--allow-writes']
  const transport = new StdioClientTransport({command: process.execPath, args, env, cwd, stderr: 'pipe'})
  let said = ''
  transport.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const agent = new Client({name: 'page sheets', version: '1.0.0'})
  await agent.connect(transport)
  try {
    const plan = {customer, from: wallet, to: externalWallet, fromCurrency: 'USDC', toCurrency: 'USDC', amount: '10'}
    const key = 'invoice-4711'
    const {structuredContent} = await agent.callTool({name: 'pay_prepare', arguments: {...plan, key}})
    const planId = (structuredContent as {planId?: string} | undefined)?.planId
    const asked = agent.callTool({name: 'pay_commit', arguments: {planId, key}}).catch(() => undefined)
    const end = performance.now() + waitMs
    while (!said.includes('/enter/') && performance.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 200))
    await page.goto(/http:\/\/127\.0\.0\.1:\d+\/\S+/.exec(said)?.[0] ?? '')
    await page.getByRole('button', {name: 'No'}).waitFor()
    await photographer.take('yes')
    await page.getByRole('button', {name: 'No'}).click()
    await asked
  } finally {
    await agent.close()
  }
}

// Of the documentation site.
const sitePages = {site: 'index.html', 'site-task': 'tasks/pay-an-invoice.html', 'site-command': 'commands/pay.html'}

async function takeAll(browser: Browser, where: string): Promise<Pictures> {
  const tree = createTree(where)
  const page = await browser.newPage({viewport: {width: 1_280, height}})
  const photographer = new Photographer(page)
  try {
    fill(tree)
    await takeYes(photographer, page, tree)
    requireApprovals(tree)
    const running = await startSandbox(tree)
    try {
      await takeConsole(photographer, page, running)
      await takeForms(photographer, running)
    } finally {
      running.child.kill('SIGKILL')
    }
    for (const name of ['report', 'proof']) {
      const file = path.join(tree.home, `${name}.html`)
      if (fs.existsSync(file)) await photographer.open(name, pathToFileURL(file).href)
    }
    const kit = path.join(where, 'scripts/kit.ts')
    if (fs.existsSync(kit)) {
      spawnSync(process.execPath, [kit], {cwd: where})
      await photographer.open('kit', pathToFileURL(path.join(where, 'node_modules/.cache/kit.html')).href)
    }
    spawnSync(process.execPath, [path.join(where, 'scripts/docs.ts')], {cwd: where})
    for (const [name, place] of Object.entries(sitePages)) {
      const file = path.join(where, 'site', place)
      if (fs.existsSync(file)) await photographer.open(name, pathToFileURL(file).href)
    }
  } finally {
    await page.context().close()
    fs.rmSync(tree.home, {recursive: true, force: true})
  }
  return photographer.pictures
}

const style = `body { margin: 16px; font: 600 20px system-ui; background: #8a9199; color: #fff; }
main { display: grid; grid-template-columns: auto auto; gap: 16px; width: max-content; }
div { display: flex; gap: 8px; align-items: start; } p { margin: 0; } img { display: block; height: 700px; }
.none { width: 843px; height: 700px; background: #79808a; display: grid; place-items: center; }`

function renderSheet(before: readonly Buffer[] | undefined, after: readonly Buffer[]): string {
  const renderLook = (pictures: readonly Buffer[] | undefined, first: number) =>
    pictures
      ? `<div>${pictures
          .slice(first, first + 2)
          .map((each) => `<img src="data:image/png;base64,${each.toString('base64')}">`)
          .join('')}</div>`
      : '<div class="none">There was no such page</div>'
  const rows = [0, 2].map((first) => renderLook(before, first) + renderLook(after, first)).join('')
  return `<style>${style}</style><main><p>Before</p><p>After</p>${rows}</main>`
}

const sheet = {width: 1_734, height: 1_500}

// WebP, with the best quality and the largest scale that are small enough.
const sizes = [
  [70, 1],
  [50, 1],
  [50, 0.85],
  [40, 0.75],
  [30, 0.7],
  [30, 0.6],
] as const

async function writeSheet(page: Page, name: string, html: string): Promise<number> {
  await page.setViewportSize(sheet)
  await page.setContent(html)
  const session = await page.context().newCDPSession(page)
  try {
    for (const [quality, scale] of sizes) {
      const clip = {x: 0, y: 0, ...sheet, scale}
      const {data} = await session.send('Page.captureScreenshot', {format: 'webp', quality, clip})
      const bytes = Buffer.from(data, 'base64')
      if (bytes.length > bytesMax) continue
      fs.writeFileSync(path.join(folder, `${name}.webp`), bytes)
      return bytes.length
    }
    throw new Error(`The sheet ${name} is larger than ${bytesMax} bytes at any quality`)
  } finally {
    await session.detach()
  }
}

const findChromium = () =>
  process.env['CHROMIUM_PATH'] || spawnSync('which', ['chromium'], {encoding: 'utf8'}).stdout.trim()

async function main(earlier: string): Promise<void> {
  const browser = await chromium.launch({executablePath: findChromium(), args: ['--no-sandbox', '--disable-gpu']})
  try {
    const before = await takeAll(browser, path.resolve(earlier))
    const after = await takeAll(browser, root)
    fs.mkdirSync(folder, {recursive: true})
    const page = await browser.newPage()
    for (const [name, pictures] of after) {
      const bytes = await writeSheet(page, name, renderSheet(before.get(name), pictures))
      process.stdout.write(`${name}.webp ${bytes} bytes\n`)
    }
  } finally {
    await browser.close()
  }
}

const [earlier] = process.argv.slice(2)
if (earlier === undefined) {
  process.stderr.write('Name the folder of an earlier tree that is built: npm run page-sheets -- FOLDER\n')
  process.exitCode = 2
} else await main(earlier)
