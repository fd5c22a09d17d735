// Random stories of what is written besides payments: several processes make, change or delete one
// rule or customer at once, each may be killed at any moment, and the service is slow, loses
// replies and lists late. In the end there is one, or it is changed, or gone, and no process said
// anything untrue.
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import fs from 'node:fs'
import type {ServerResponse} from 'node:http'
import path from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import type {EndpointName} from '../../../src/contract/endpoints.ts'
import {configuration} from '../../features/rules/rule-service.ts'
import {payout} from '../../features/rules/samples.ts'
import type {Team} from '../../support/approvals.ts'
import {type Random, createRandom} from '../../support/random.ts'
import {ageSentNotes, listSentNotes} from '../../support/sent-notes.ts'
import {type ReceivedRequest, type Service, customer, reply, serve} from '../../support/service.ts'
import {type Home, bin, json, root} from '../../support/svc.ts'

const [rule, customers, quote] = [
  {path: '/automation-rules', field: 'automationRules', id: 'id'},
  {path: '/customers', field: 'customers', id: 'customerId'},
  {path: '/quotes', field: 'quotes', id: 'quoteId'},
] as const
const ruleId = 'rule-1'
const known = {
  rule: {...configuration(), id: ruleId},
  customer: customer(1, {customerStatus: 'NEEDS_ADDITIONAL_INFORMATION'}),
}
const [newAmount, newCity] = ['250.00', 'Springfield']
const routeFlags = Object.entries({
  customer: known.customer.customerId,
  from: 'wallet-1',
  'from-currency': 'USDC',
  'from-method': 'BASE',
  to: 'bank-1',
  'to-currency': 'USD',
  'to-method': 'ACH',
  amount: '5',
}).flatMap(([name, value]) => [`--${name}`, value])

interface Command {
  name: string
  args: readonly string[]
  writes: EndpointName
  noun: typeof rule | typeof customers | typeof quote
  // The folder of its notes. Absent for what may be sent again: it does nothing more.
  notes?: 'rules' | 'customers'
  // What exists before.
  before?: Record<string, unknown>
  // How many there are in the end, with this text. Absent for what sends once per run, whatever
  // exists.
  wanted?: {count: number; text: string}
}

// What a process sends, by what command.
export const commands: readonly Command[] = [
  {
    name: 'rules create',
    args: ['rules', 'create', '-f', 'rule.json', '--yes'],
    writes: 'rules.create',
    noun: rule,
    notes: 'rules',
    wanted: {count: 1, text: ''},
  },
  {
    name: 'rules apply',
    args: ['rules', 'apply', '-f', 'rule.json', '--yes'],
    writes: 'rules.create',
    noun: rule,
    notes: 'rules',
    wanted: {count: 1, text: ''},
  },
  {
    name: 'customers create',
    args: ['customers', 'create', '--type', 'INDIVIDUAL', '--email', 'ada@example.com'],
    writes: 'customers.create',
    noun: customers,
    notes: 'customers',
    wanted: {count: 1, text: ''},
  },
  {
    name: 'rules update',
    args: ['rules', 'update', ruleId, '--amount', newAmount, '--yes'],
    writes: 'rules.update',
    noun: rule,
    before: known.rule,
    wanted: {count: 1, text: newAmount},
  },
  {
    name: 'rules delete',
    args: ['rules', 'delete', ruleId, '--yes'],
    writes: 'rules.delete',
    noun: rule,
    before: known.rule,
    wanted: {count: 0, text: ''},
  },
  {
    name: 'customers update',
    args: [
      'customers',
      'update',
      known.customer.customerId,
      '--set',
      `kycData.address.city=${newCity}`,
      '--accept-warnings',
    ],
    writes: 'customers.update',
    noun: customers,
    before: known.customer,
    wanted: {count: 1, text: newCity},
  },
  {name: 'quotes create', args: ['quotes', 'create', ...routeFlags], writes: 'quotes.create', noun: quote},
  {
    name: 'api',
    args: ['api', 'POST', '/automation-rules', '-f', 'rule.json', '--yes'],
    writes: 'rules.create',
    noun: rule,
  },
]

const minuteMs = 60_000
// A new rule is listed within four seconds of its request, or of the end of a process that no longer
// waits for the answer, and a customer within a minute, which the story lets pass at once.
const listedWithinMs = {rules: 4_000, customers: minuteMs}
// How long the service works on a request, how long svc waits for it, and when a process is killed.
interface Pace {
  worksForMs: readonly number[]
  requestTimeoutMs: number
  killedMs: {least: number; most: number}
}
const quick: Pace = {worksForMs: [0, 0, 300, 1_500], requestTimeoutMs: 1_200, killedMs: {least: 0, most: 1_500}}
const slow: Pace = {worksForMs: [6_000], requestTimeoutMs: 30_000, killedMs: {least: 4_000, most: 7_000}}
// How long the service works on at most once nobody waits for the answer.
const worksAloneMaxMs = 2_000
const processesMax = 3
const settlingRunsMax = 3
// The clock of the machine jumps between two processes, and back.
const clockShiftsMs = [0, 0, 3_600_000, -3_600_000] as const

// Others in the list of customers, which comes in pages of one item: after a page, the one that it
// had may be hidden, and what follows slides to it. While processes are killed this is rare, so that
// some are left.
const othersMax = 3
const hiddenOneIn = {sick: 8, well: 2}

// How the service answers a POST: whether it does it, and what it then says.
const answers = [
  {isDone: true, says: 200},
  {isDone: true, says: 'nothing'},
  {isDone: true, says: 503},
  {isDone: true, says: 408},
  {isDone: true, says: 'half'},
  {isDone: false, says: 'nothing'},
  {isDone: false, says: 503},
  {isDone: false, says: 400},
  {isDone: false, says: 429},
] as const

type Answer = (typeof answers)[number]

interface Post {
  // The process that sent it.
  by: string
  isDone: boolean
  // When the list has what it makes.
  listedAtMs: number
}

// What a write leaves. Undefined if that is nothing.
interface Stored {
  id: string
  item: Record<string, unknown> | undefined
  listedAtMs: number
}

interface PostService extends Service {
  posts: Post[]
  // As its lists show them now.
  list: () => Array<Record<string, unknown>>
  // How long it takes until the list has what was made.
  getUnlistedMs: () => number
  passMinute: () => void
  // From now on every POST is done and answered at once.
  recover: () => void
}

async function servePosts({noun, notes, before}: Command, random: Random, pace: Pace): Promise<PostService> {
  const {path: target, field, id} = noun
  const posts: Post[] = []
  const stored: Stored[] = before ? [{id: String(before[id]), item: before, listedAtMs: 0}] : []
  const lagMaxMs = listedWithinMs[notes ?? 'rules']
  let [isWell, passedMs] = [false, 0]
  const now = () => Date.now() + passedMs
  const list = () => {
    const listed = stored.filter(({listedAtMs}) => listedAtMs <= now())
    return [...new Map(listed.map((each) => [each.id, each.item])).values()].filter((item) => item !== undefined)
  }
  const others = Array.from({length: random.below(othersMax + 1)}, (_, at) => customer(100 + at))
  // Any other list has one page.
  const readPage = (index: number) => {
    if (noun !== customers) return {[field]: list(), nextPageToken: ''}
    const items = [...others, ...list()]
    const end = index + 1
    const item = items[index]
    const hidden = others.findIndex((other) => other === item)
    if (hidden !== -1 && random.below(isWell ? hiddenOneIn.well : hiddenOneIn.sick) === 0) others.splice(hidden, 1)
    return {[field]: item ? [item] : [], nextPageToken: end < items.length ? String(end) : ''}
  }
  const pick = (): Answer => (isWell || random.below(3) === 0 ? answers[0] : random.pick(answers))

  const answer = async ({method, path: asked, query, headers, body}: ReceivedRequest, response: ServerResponse) => {
    if (method === 'GET') {
      if (asked === target) return reply(response, 200, readPage(Number(query.get('pageToken') ?? 0)))
      const found = list().find((item) => asked.endsWith(`/${String(item[id])}`))
      return found ? reply(response, 200, found) : reply(response, 404, {error: 'NOT_FOUND', message: 'No.'})
    }
    const {isDone, says} = asked.startsWith(target) ? pick() : answers[0]
    const arrivedMs = now()
    const [workMs, aloneMs, lagMs] = isWell
      ? [0, 0, 0]
      : [random.pick(pace.worksForMs), random.below(worksAloneMaxMs), random.below(lagMaxMs)]
    const post: Post = {by: String(headers.authorization), isDone, listedAtMs: arrivedMs + workMs + lagMs}
    const number = posts.push(post)
    let lostAtMs = says === 200 ? arrivedMs : undefined
    const gone = once(response, 'close').then(() => {
      lostAtMs = now()
      return sleep(aloneMs)
    })
    await Promise.race([sleep(workMs), gone])

    const listedAtMs = (post.listedAtMs = Math.max(now(), (lostAtMs ?? now()) + lagMs))
    const ownId = before ? String(before[id]) : `made-${number}`
    const made = {...(before ?? customer(number)), ...json(body || '{}'), [id]: ownId}
    const item = method === 'DELETE' ? before : made
    if (isDone) stored.push({id: ownId, item: method === 'DELETE' ? undefined : made, listedAtMs})
    if (says === 'nothing') return response.destroy()
    if (says === 'half') return response.writeHead(200, {'content-length': 999}).end('{"', () => response.destroy())
    return reply(response, says, says === 200 ? item : {error: 'NO', message: 'No.', statusCode: says})
  }
  const service = await serve((asked, response) => void answer(asked, response))
  return {
    ...service,
    posts,
    list,
    getUnlistedMs: () => Math.max(0, ...posts.map(({listedAtMs}) => listedAtMs - now())),
    passMinute: () => void (passedMs += minuteMs),
    recover: () => (isWell = true),
  }
}

interface Ended {
  by: string
  // Absent if it was killed.
  code: number | null
  err: string
}

// When a process is killed, and how far the clock of the machine is off while it runs.
interface Plan {
  by: string
  requestTimeoutMs?: number
  killAfterMs?: number | undefined
  clockShiftMs?: number
}

const shiftClock = path.join(root, 'scripts', 'shift-clock.mjs')

function start(home: Home, {args}: Command, service: PostService, plan: Plan) {
  const {by, requestTimeoutMs = quick.requestTimeoutMs, killAfterMs, clockShiftMs = 0} = plan
  const env = {
    ...home.env,
    ...service.env,
    SVC_API_KEY: by,
    SVC_REQUEST_TIMEOUT: `${requestTimeoutMs}ms`,
    ...(clockShiftMs !== 0 && {NODE_OPTIONS: `--import=${shiftClock}`, SHIFT_CLOCK_MS: String(clockShiftMs)}),
  }
  return startProcess([...args, '--json'], {env, cwd: home.folder}, by, killAfterMs)
}

function startProcess(
  args: readonly string[],
  options: {env: Record<string, string>; cwd: string},
  by: string,
  killAfterMs: number | undefined,
): Promise<Ended> {
  const child = spawn(process.execPath, [bin, ...args], options)
  const killing = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  let err = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  child.stdout.resume()
  child.stdin.end()
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(killing)
      resolve({by, code, err})
    })
  })
}

// Codes with which a process says that it changed nothing.
const nothingChanged: ReadonlySet<number> = new Set([2, 3, 4, 5, 6, 8])

function checkWord({by, code, err}: Ended, {posts}: PostService, {notes, wanted}: Command): string[] {
  if (code === null) return []
  const own = posts.filter((post) => post.by === `Bearer ${by}`)
  const isDone = own.some((post) => post.isDone)
  const wrong: string[] = []
  if (own.length > 1) wrong.push(`sent ${own.length} times`)
  if (code === 0 && !(wanted ? posts : own).some((post) => post.isDone)) wrong.push('said 0 for nothing')
  if (nothingChanged.has(code) && isDone) wrong.push(`said ${code} for what was made`)
  if (code === 2 && !err.includes('DUPLICATE_CUSTOMER')) wrong.push(`said 2: ${err}`)
  if (code === 7 && !notes && own.length === 0) wrong.push('said 7 although nothing was sent')
  if (code !== 0 && code !== 7 && !nothingChanged.has(code)) wrong.push(`ended with ${code}: ${err}`)
  return wrong.map((problem) => `${by} ${problem}`)
}

// Lets the time pass in which what was made may not be listed yet.
async function waitUntilListed(home: Home, service: PostService): Promise<void> {
  if (listSentNotes(home).length > 0) service.passMinute()
  await sleep(service.getUnlistedMs())
  ageSentNotes(home, minuteMs)
}

// Returns what was wrong.
export async function playPosts(home: Home, seed: number): Promise<string[]> {
  const random = createRandom(seed)
  const command = commands[seed % commands.length] as Command
  const pace = random.pick([quick, quick, slow])
  const {requestTimeoutMs, killedMs} = pace
  const service = await servePosts(command, random, pace)
  fs.writeFileSync(path.join(home.folder, 'rule.json'), JSON.stringify(configuration()))

  const count = 2 + random.below(processesMax - 1)
  const plans = Array.from({length: count}, (_, index) => ({
    by: `process-${index}`,
    startAfterMs: random.pick([0, 0, 400, random.below(2_000)]),
    requestTimeoutMs,
    killAfterMs: random.below(2) === 0 ? killedMs.least + random.below(killedMs.most - killedMs.least) : undefined,
    clockShiftMs: random.pick(clockShiftsMs),
  }))
  const ended = await Promise.all(
    plans.map(async ({startAfterMs, ...plan}) => {
      await sleep(startAfterMs)
      const one = await start(home, command, service, plan)
      return {one, wrong: checkWord(one, service, command)}
    }),
  )
  const wrong = ended.flatMap((each) => each.wrong)
  const codes = ended.map(({one}) => one.code ?? 'killed')

  const {wanted} = command
  if (wanted) {
    service.recover()
    let last: Ended | undefined
    for (let run = 0; run < settlingRunsMax; run++) {
      last = await start(home, command, service, {by: `settling-${run}`})
      wrong.push(...checkWord(last, service, command))
      if (last.code !== 7) break
      await waitUntilListed(home, service)
    }
    // The customer exists already, or the rule is gone.
    const isSettled = [0, 2, 5].includes(last?.code ?? -1)
    if (!isSettled) wrong.push(`the next runs did not settle it: ${last?.code} ${last?.err}`)
    await waitUntilListed(home, service)
    const ends = service.list()
    const isWanted = ends.length === wanted.count && JSON.stringify(ends).includes(wanted.text)
    if (!isWanted) wrong.push(`in the end there are ${JSON.stringify(ends)}`)
  }
  return wrong.map((problem) => `seed ${seed}, ${command.name}, ${codes.join(' ')}: ${problem}`)
}

interface ShownApproval {
  signer: string
  // Why it does not count.
  reason?: string
}

// All people of a test share a user and a machine.
const ownReasons = /^(it was signed by the user and on the machine that run this|the same person has approved already)$/

// Approvals of one file, given at once by processes that may be killed: who was told that he
// approved is listed, each approval is whole, and nobody is listed who did not sign.
export async function playApprovals(team: Team, seed: number): Promise<string[]> {
  const random = createRandom(seed)
  fs.writeFileSync(path.join(team.folder, 'rules.json'), JSON.stringify([payout('Weekly')]))
  const args = ['approve', 'rules.json', '--signers', team.signersFile, '--json']
  const ended = await Promise.all(
    [team.alice, team.alice, team.bob].map(({name, home}) => {
      const killAfterMs = random.below(2) === 0 ? random.below(quick.killedMs.most) : undefined
      return startProcess(
        [...args, '--yes', '--quiet', '-p', 'sandbox'],
        {env: home.env, cwd: team.folder},
        name,
        killAfterMs,
      )
    }),
  )
  const shown = await team.run(team.carol, [...args, '--show'])
  const {approvals} = json(shown.out || '{"approvals":[]}') as unknown as {approvals: ShownApproval[]}
  const listed = approvals.map(({signer}) => signer.replace(/@.*/, ''))
  const wrong = ended.flatMap(({by, code, err}) => {
    if (code === 0 && !listed.includes(by)) return [`${by} approved, and is not listed`]
    return code === 0 || code === null ? [] : [`${by} ended with ${code}: ${err}`]
  })
  if (listed.some((name) => !ended.some(({by}) => by === name))) wrong.push(`${listed.join(' ')} are listed`)
  if (!approvals.every(({reason = ''}) => ownReasons.test(reason))) wrong.push(`an approval is not whole: ${shown.out}`)
  return wrong.map((problem) => `seed ${seed}: ${problem}`)
}
