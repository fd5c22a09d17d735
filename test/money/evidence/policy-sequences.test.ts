// Random sequences of what a runner, approvers and a worker can do to the controls. Each payment that svc would let through is compared
// with a model of who may do what, which is written down anew here.
import {createHash, generateKeyPairSync, sign} from 'node:crypto'
import {expect, it} from 'vitest'
import type {StoredApproval} from '../../../src/controls/approval-store.ts'
import {bindControls} from '../../../src/controls/bind.ts'
import {checkApprovals} from '../../../src/controls/approvals.ts'
import {
  addSpent,
  findDayProblems,
  findPaymentProblems,
  needsApproval,
  nothingSpent,
} from '../../../src/controls/check-spending.ts'
import {type Controls, decideWrite} from '../../../src/controls/decide.ts'
import {type Policy, digestPolicy, parsePolicy} from '../../../src/controls/policy.ts'
import {policyApproved, policyProposed} from '../../../src/controls/policies.ts'
import {type Statement, renderStatement} from '../../../src/controls/statement.ts'
import {findHeldPayees, getCoolDownRules} from '../../../src/controls/new-payees.ts'
import {hourMs} from '../../../src/values/time.ts'
import {type Random, createRandom} from '../../support/random.ts'
import {toSigned, toString, writeSignature} from '../../support/ssh-signature.ts'

const sequences = Number(process.env['SVC_TEST_SEQUENCES'] ?? 400)

// Without the program of OpenSSH, which would take longer than everything else.
function createPerson(name: string) {
  const {publicKey, privateKey} = generateKeyPairSync('ed25519')
  const raw = publicKey.export({type: 'spki', format: 'der'}).subarray(-32)
  const key = Buffer.concat([toString('ssh-ed25519'), toString(raw)])
  const signText = (text: string) => {
    const signature = Buffer.concat([toString('ssh-ed25519'), toString(sign(null, toSigned(text), privateKey))])
    return writeSignature({key, signature})
  }
  return {name, publicKey: `ssh-ed25519 ${key.toString('base64')}`, signText}
}

const people = ['alice', 'bob', 'carol', 'mallory'].map(createPerson)
const [alice, bob, carol] = people as [Signer, Signer, Signer, Signer]
type Signer = ReturnType<typeof createPerson>

const services = ['https://api.example.com', 'https://api.example.com/', 'zzz']
const payees = ['acc_known', 'acc_new']
const users = ['payroll', 'carol', 'alice']

const approverSets: ReadonlyArray<Policy['approvers']> = [
  undefined,
  [alice, bob].map(({name, publicKey}) => ({name, keys: [publicKey]})),
  [alice, bob, carol].map(({name, publicKey}) => ({name, keys: [publicKey]})),
]

function createPolicy({pick}: Random): Policy {
  const approvers = pick(approverSets)
  const count = approvers ? pick([0, 1, 2]) : 0
  return parsePolicy(
    {
      ...(approvers && {
        approvers,
        approvals: {count, ...(pick([true, false]) && {above: {USDC: pick(['10', '50'])}})},
      }),
      ...(pick([true, false]) && {paymentMax: {USDC: pick(['20', '200'])}}),
      ...(pick([true, false, false]) && {dayMax: {USDC: pick(['60', '300'])}}),
      ...(pick([true, false, false]) && {allow: [pick(payees)]}),
      ...(pick([true, false]) && {coolDown: '24h'}),
      ...(pick([true, false, false, false]) && {readOnly: true}),
      ...(pick([true, false, false]) && {
        runners: [{user: 'payroll'}, {user: 'carol', ...(approvers?.length === 3 && {approver: 'carol'})}],
      }),
    },
    'a test',
  )
}

interface Version {
  serviceId: string
  previous?: string | undefined
  policy: Policy
  digest: string
  given: Map<string, number>
}

interface PaymentApproval {
  serviceId: string
  person: string
  user: string
  digest: string
  givenAt: number
  expiresAt: number
  withdrawnAt?: number | undefined
}

// Everything that happened, twice: as the journal has it, and as the model understands it.
class World {
  readonly random: Random
  // In the past, since the clock of this machine counts too.
  nowMs = Date.parse('2026-01-05T12:00:00Z')
  limits: Controls['spending'] = undefined
  isReadOnly = false
  // As the journal has it.
  versions: Array<{at: number; detail: Record<string, unknown>}> = []
  approvals: Array<{at: number; detail: Record<string, unknown>}> = []
  stored: StoredApproval[] = []
  spent: string[] = []
  // As the model has it.
  proposals: Version[] = []
  inForce = new Map<string, Version>()
  paymentApprovals: PaymentApproval[] = []
  firstSeen = new Map<string, number>()
  paid = new Set(['acc_known'])

  constructor(seed: number) {
    this.random = createRandom(seed)
  }

  propose(): void {
    const {pick} = this.random
    const serviceId = pick([services[0], services[0], ...services]) ?? ''
    const policy = createPolicy(this.random)
    const current = this.inForce.get(serviceId)?.digest
    // Also after a version that is no longer in force, or as if it were the first one.
    const previous = pick([current, current, current, this.proposals[0]?.digest, undefined])
    const document = {serviceId, ...(previous !== undefined && {previous}), policy}
    const digest = digestPolicy(document)
    this.versions.push({at: this.nowMs, detail: {kind: policyProposed, user: 'u', host: 'h', data: document}})
    if (this.proposals.some((version) => version.digest === digest)) return
    this.proposals.push({...document, digest, given: new Map()})
    this.#settle()
  }

  approvePolicy(): void {
    const {pick, below} = this.random
    const version = this.proposals[below(Math.max(1, this.proposals.length))]
    if (!version) return
    const person = pick(people)
    const isWithdrawal = below(5) === 0
    const expiresAt = isWithdrawal ? undefined : this.nowMs + pick([hourMs, -hourMs])
    const statement: Statement = {
      action: isWithdrawal ? 'withdrawal' : 'approval',
      kind: 'policy',
      serviceId: pick([version.serviceId, version.serviceId, ...services]),
      digest: version.digest,
      user: `${person.name}@desk`,
      givenAt: this.nowMs,
      expiresAt,
    }
    const text = renderStatement(statement)
    const data = {statement: text, signature: person.signText(text)}
    this.approvals.push({at: this.nowMs, detail: {kind: policyApproved, data}})
    if (statement.serviceId !== version.serviceId) return
    if (isWithdrawal) version.given.delete(person.name)
    else version.given.set(person.name, expiresAt ?? 0)
    this.#settle()
  }

  // The model: what came into force by the last event.
  #settle(): void {
    const [founder] = this.proposals
    if (!founder || founder.previous !== undefined) return
    if (!this.inForce.has(founder.serviceId)) this.inForce.set(founder.serviceId, founder)
    for (let isChanged = true; isChanged;) {
      isChanged = false
      for (const version of this.proposals) {
        const current = this.inForce.get(version.serviceId)
        if (current === version || current?.digest !== version.previous) continue
        const judges = (current ?? this.inForce.get(founder.serviceId))?.policy ?? {}
        const needed = judges.approvers?.length ? Math.max(1, judges.approvals?.count ?? 0) : 0
        const names = new Set(judges.approvers?.map(({name}) => name))
        const valid = [...version.given].filter(([name, until]) => names.has(name) && until > this.nowMs)
        if (valid.length < needed) continue
        this.inForce.set(version.serviceId, version)
        isChanged = true
      }
    }
  }

  approvePayment(amount: string, payee: string): void {
    const {pick} = this.random
    const person = pick(people)
    const serviceId = pick([services[0], services[0], ...services]) ?? ''
    const user = pick([`${person.name}@desk`, `${person.name}@desk`, 'payroll@host', 'carol@host'])
    const approval = {
      serviceId,
      person: person.name,
      user,
      digest: digestOf(amount, payee),
      givenAt: this.nowMs,
      expiresAt: this.nowMs + pick([hourMs, 48 * hourMs]),
    }
    this.paymentApprovals.push(approval)
    this.#store(person, {action: 'approval', kind: 'payment', ...approval})
  }

  withdrawPayment(amount: string, payee: string): void {
    const person = this.random.pick(people)
    const digest = digestOf(amount, payee)
    const serviceId = services[0] ?? ''
    this.#store(person, {action: 'withdrawal', kind: 'payment', serviceId, digest, user: 'x@y', givenAt: this.nowMs})
    for (const approval of this.paymentApprovals) {
      const isSame = approval.person === person.name && approval.serviceId === serviceId && approval.digest === digest
      if (isSame) approval.withdrawnAt = this.nowMs
    }
  }

  #store(person: Signer, statement: Statement): void {
    const text = renderStatement(statement)
    this.stored.push({id: String(this.stored.length), text, signature: person.signText(text)})
  }
}

const digestOf = (amount: string, payee: string) => createHash('sha256').update(`${amount} ${payee}`).digest('hex')

interface Attempt {
  serviceId: string
  user: string
  amount: string
  payee: string
}

// What svc decides, by the functions that every command and worker uses. Undefined if it would pay.
async function decide(world: World, {serviceId, user, amount, payee}: Attempt): Promise<string | undefined> {
  const caller: Controls = {label: 'a test', readOnly: world.isReadOnly, spending: world.limits}
  const trust = {files: [], journal: ''}
  const entries = {versions: world.versions, approvals: world.approvals}
  const running = {user, host: 'host'}
  const bound: Controls = {
    ...caller,
    ...bindControls(caller, {serviceId, entries, running, trust, isEmbedded: false}),
  }
  try {
    decideWrite(bound, {method: 'POST', path: '/transactions', checksLimits: true, checksApprovals: true})
    const outgoing = {currency: 'USDC', amount, destination: payee}
    const {spending = {}} = bound
    const spent = world.spent.reduce((sum, each) => addSpent(sum, each), nothingSpent)
    const [problem] = [...findPaymentProblems(spending, outgoing), ...findDayProblems(spending, outgoing, spent)]
    if (problem !== undefined) return problem
    const {approvals: policy, binding} = bound
    const readMs = () => world.nowMs
    const clock = {earliest: readMs, latest: readMs, wall: readMs}
    const isNeeded = needsApproval(bound, [{currency: 'USDC', amount}])
    const check = policy && {
      people: (
        await checkApprovals(
          {list: async () => world.stored},
          {kind: 'payment', serviceId, digest: digestOf(amount, payee)},
          {approvers: policy.approvers, runner: binding?.runner, clock},
        )
      ).people,
    }
    const count = check?.people.length ?? 0
    if (isNeeded && count < (policy?.required ?? 0)) return 'not approved'
    const isApproved = policy !== undefined && count >= (isNeeded ? policy.required : 1)
    const journal = {
      recordDecision: async () => {},
      listPayees: async () => [
        {destination: payee, isPaid: world.paid.has(payee), firstSeenAt: world.firstSeen.get(payee) ?? world.nowMs},
      ],
    }
    const [held] = await findHeldPayees({journal, clock}, serviceId, [payee], getCoolDownRules(bound, {isApproved}))
    return held && 'waits'
  } catch (error) {
    return (error as Error).message
  }
}

const toNumber = (text: string | undefined) => (text === undefined ? Infinity : Number(text))

// Who may do what, in the plainest words.
function mayPay(world: World, {serviceId, user, amount, payee}: Attempt): boolean {
  const version = world.inForce.get(serviceId)
  if (!version && world.inForce.size > 0) return false
  const {approvers, approvals, paymentMax, dayMax, allow, coolDown, readOnly, runners} = version?.policy ?? {}
  const own = world.limits
  if (readOnly || world.isReadOnly) return false
  if (runners && !runners.some((runner) => runner.user === user)) return false
  const sum = Number(amount)
  const today = world.spent.reduce((total, spent) => total + Number(spent), sum)
  if (sum > Math.min(toNumber(paymentMax?.['USDC']), toNumber(own?.paymentMax?.['USDC']))) return false
  if (today > Math.min(toNumber(dayMax?.['USDC']), toNumber(own?.dayMax?.['USDC']))) return false
  if (allow && !allow.includes(payee)) return false
  if (own?.destinations && !own.destinations.includes(payee)) return false
  const himself = runners?.find((runner) => runner.user === user)?.approver
  const counting = new Set(
    world.paymentApprovals
      .filter(
        (approval) =>
          approval.serviceId === serviceId &&
          approval.digest === digestOf(amount, payee) &&
          approval.expiresAt > world.nowMs &&
          approval.withdrawnAt === undefined &&
          approval.person !== himself &&
          approval.user !== `${user}@host` &&
          approvers?.some(({name}) => name === approval.person),
      )
      .map(({person}) => person),
  )
  const required = approvals?.count ?? 0
  const isNeeded = required > 0 && sum > (approvals?.above ? Number(approvals.above['USDC']) : -1)
  if (isNeeded && counting.size < required) return false
  const waits = coolDown !== undefined && !world.paid.has(payee) && !allow?.includes(payee)
  if (!waits || counting.size >= (isNeeded ? required : 1)) return true
  return world.nowMs >= (world.firstSeen.get(payee) ?? world.nowMs) + 24 * hourMs
}

// The time that a payment of its own would have: the clock of the test is that of the journal.
async function playSequence(seed: number): Promise<{payments: number; wrong: string[]}> {
  const world = new World(seed)
  const {pick, below} = world.random
  const wrong: string[] = []
  let payments = 0
  for (let step = 0; step < 14; step++) {
    world.nowMs += 1000 + below(3) * 7 * hourMs
    const [amount, payee] = [pick(['5', '15', '100']), pick(payees)]
    const action = below(10)
    if (action === 0)
      world.limits = pick([
        undefined,
        {paymentMax: {USDC: '90'}},
        {dayMax: {USDC: '1000'}},
        {destinations: [...payees]},
      ])
    else if (action === 1) world.isReadOnly = below(4) === 0
    else if (action <= 3) world.propose()
    else if (action <= 5) world.approvePolicy()
    else if (action === 6) world.approvePayment(amount, payee)
    else if (action === 7 && below(2) === 0) world.withdrawPayment(amount, payee)
    const attempt = {serviceId: pick([services[0], ...services]) ?? '', user: pick(users), amount, payee}
    const [refusal, allowed] = [await decide(world, attempt), mayPay(world, attempt)]
    if ((refusal === undefined) !== allowed) {
      wrong.push(`seed ${seed}, step ${step}: svc ${refusal ?? 'pays'}, the model ${allowed ? 'pays' : 'refuses'}`)
    }
    if (!world.firstSeen.has(payee)) world.firstSeen.set(payee, world.nowMs)
    if (refusal !== undefined) continue
    payments++
    world.spent.push(amount)
    world.paid.add(payee)
  }
  return {payments, wrong}
}

it(`random sequences of what binds and who tries let nothing be paid that the model forbids, and nothing else be refused (${sequences})`, async () => {
  const wrong: string[] = []
  let payments = 0
  for (let seed = 1; seed <= sequences && wrong.length < 10; seed++) {
    const played = await playSequence(seed)
    wrong.push(...played.wrong)
    payments += played.payments
  }
  expect(wrong).toEqual([])
  expect(payments).toBeGreaterThan(sequences)
})
