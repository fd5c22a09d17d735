// For every field that a file can have, as the contract and the columns say: if its value changes the digest that people sign, it
// changes the box that they see, and the other way round. A field that is forgotten fails here.
import fs from 'node:fs'
import path from 'node:path'
import * as fc from 'fast-check'
import {beforeEach, describe, expect, it} from 'vitest'
import type {z} from 'zod'
import {type BoxRow, renderBox} from '../../src/cli/output/box.ts'
import {type JsonSchema, createSchemaCollector} from '../../src/contract/json-schema.ts'
import {ruleCreate} from '../../src/contract/rules.ts'
import {type ApprovalFact, type ShownContent, describeApprovable} from '../../src/controls/approvable.ts'
import {createPaymentItem, createPaymentSubject, createPayoutsSubject} from '../../src/payments/pay/payment-fields.ts'
import {findProblems} from '../../src/contract/problems.ts'
import {ownPlanFields, planFile} from '../../src/payments/pay/plan-file.ts'
import {checkPlan, toPlan} from '../../src/payments/pay/plan.ts'
import {type Column, columns} from '../../src/payouts/file/records.ts'
import {parseRow} from '../../src/payouts/file/rows.ts'
import {createRulesContent, createRulesSubject} from '../../src/rules/rule-controls.ts'
import {readRuleFile} from '../../src/rules/rule-file.ts'
import {withValue} from '../../src/values/body-paths.ts'
import {bank, wallet, zoe} from '../commands/payouts/payroll.ts'
import {anyCharacter} from '../support/any-character.ts'
import {seed} from '../support/seed.ts'
import {temporaryFolder} from '../support/svc.ts'

type Body = Record<string, unknown>

// What people approve, and its digest.
interface Shown {
  digest: string
  content: ShownContent
}

// Undefined if svc would refuse the input.
type Read = (body: Body) => Promise<Shown | undefined> | Shown | undefined

const plain = {dim: String, bold: String, alarm: String, status: String}
const toRow = ({label, lines}: ApprovalFact): BoxRow => ({label, lines: lines.map((text) => ({text}))})

// The box without the digest.
function render({content}: Shown): string {
  const groups = describeApprovable({facts: [], content}, true).map((facts) => facts.map(toRow))
  return renderBox({title: 'Approve', isLive: false, groups}, {width: 79, painter: plain})
}

// Texts that look alike, are cleaned away or could pass for another field.
const alike = [
  'a',
  'A',
  'a b',
  'a  b',
  ' a',
  'a\u200Bb',
  'ab',
  'a\u00A0b',
  '\u202Eab',
  'a; to b',
  'a\\u200bb',
  '"a"',
  'none',
]
const anyText = fc.oneof(
  fc.constantFrom(...alike),
  fc.string({unit: anyCharacter, minLength: 1, maxLength: 12}),
  fc.string({minLength: 1, maxLength: 90}),
)
const amount = fc.oneof(
  fc.constantFrom('0', '1', '1.0', '10', '0.1', '0.10', '1000000000000000000000000000000'),
  fc.tuple(fc.nat({max: 99}), fc.nat({max: 999})).map(([whole, part]) => `${whole}.${part}`),
)
const cron = fc
  .tuple(
    fc.nat({max: 59}),
    fc.nat({max: 23}),
    fc.constantFrom('*', '1', '1,15'),
    fc.constantFrom('*', '1-5', 'MON-FRI'),
  )
  .map(([minute, hour, day, weekday]) => `${minute} ${hour} ${day} * ${weekday}`)
const key = fc.oneof(
  fc.constantFrom('a', 'A', 'a-{date}', 'A-{date}', 'a-{month}', 'a,b-{date}', 'a;b'),
  fc.stringMatching(/^[!-z]{1,60}$/),
)
const feeMax = fc.oneof(
  amount,
  amount.map((value) => `${value}%`),
)
const truth = fc.constantFrom('yes', 'no', 'true', '0')

// What the schema alone does not say, by the last part of the path.
const special: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  key,
  cron,
  cronSchedule: cron,
  maxFee: feeMax,
  zone: fc.constantFrom('UTC', 'Europe/Berlin', 'europe/berlin', 'Asia/Kolkata', 'America/New_York'),
  name: fc.oneof(fc.constantFrom('rent', 'Rent', 'rent-1'), fc.stringMatching(/^[A-Za-z][\w.-]{0,59}$/), anyText),
}

function toArbitrary(name: string, schema: JsonSchema): fc.Arbitrary<unknown> {
  if (special[name]) return special[name]
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.format === 'uuid') return fc.uuid().chain((id) => fc.constantFrom(id, id.toUpperCase()))
  const patterns = [schema, ...(schema.allOf ?? [])].flatMap(({pattern}) => pattern ?? [])
  if (patterns.length === 0) return anyText
  return patterns.every((pattern) => new RegExp(pattern).test('1.5')) ? amount : cron
}

interface Leaf {
  path: string
  value: fc.Arbitrary<unknown>
  // What makes the field possible, such as the type of its trigger.
  around?: {path: string; value: Body}
}

// Every field of the schema, with that of each form that an object can have.
function listLeaves(schema: z.ZodType): Leaf[] {
  const collector = createSchemaCollector('')
  const sample: Readonly<Record<string, unknown>> = {value: '5', thresholdAmount: '10', cronSchedule: '0 9 1 * *'}
  const resolve = (node: JsonSchema): JsonSchema =>
    node.$ref === undefined ? node : resolve(collector.definitions[node.$ref] ?? {})
  const walk = (given: JsonSchema, at: string, isOptional: boolean): Leaf[] => {
    const node = resolve(given)
    const name = at.split('.').at(-1) ?? ''
    const forms = (node.oneOf ?? node.anyOf)?.map(resolve).filter(({type}) => type === 'object')
    if (forms && forms.length > 1) {
      const bodies = forms.map(({properties = {}}) =>
        Object.fromEntries(Object.entries(properties).map(([field, own]) => [field, own.const ?? sample[field]])),
      )
      return [
        {path: at, value: fc.constantFrom(...bodies)},
        ...forms.flatMap(({properties = {}}, index) =>
          Object.entries(properties)
            .filter(([, own]) => own.const === undefined)
            .map(([field, own]) => ({
              path: `${at}.${field}`,
              value: toArbitrary(field, resolve(own)),
              around: {path: at, value: bodies[index] ?? {}},
            })),
        ),
      ]
    }
    const {properties, required = []} = forms?.[0] ?? node
    if (!properties) {
      const value = toArbitrary(name, node)
      return [{path: at, value: isOptional ? fc.option(value, {nil: undefined, freq: 4}) : value}]
    }
    return Object.entries(properties).flatMap(([field, own]) =>
      walk(own, at === '' ? field : `${at}.${field}`, !required.includes(field)),
    )
  }
  return walk(collector.add(schema), '', false)
}

const runs = 40
// Files take longer to read than a plan.
const runsOfFiles = 10

// Also says whether any change of the field has changed the digest: one that is forgotten never does.
async function checkField(read: Read, base: Body, {path: field, value, around}: Leaf, numRuns = runs): Promise<number> {
  let changes = 0
  const start = around ? withValue(base, around.path, around.value) : base
  await fc.assert(
    fc.asyncProperty(value, value, async (one, other) => {
      const [before, after] = [await read(withValue(start, field, one)), await read(withValue(start, field, other))]
      fc.pre(before !== undefined && after !== undefined)
      const isSigned = before.digest !== after.digest
      if (isSigned) changes += 1
      expect(render(before) !== render(after), 'the box changes if the digest does').toBe(isSigned)
    }),
    {seed, numRuns, maxSkipsPerRun: 200},
  )
  return changes
}

const plan = {
  key: 'rent-1',
  customerId: zoe,
  source: {sourcePaymentAccountId: wallet, sourceCurrency: 'USDC', sourcePaymentMethod: 'SOLANA', sourceAmount: '2.50'},
  destination: {destinationPaymentAccountId: bank, destinationCurrency: 'USD', destinationPaymentMethod: 'ACH'},
  developerFee: {developerFeeType: 'USD', developerFeeAmount: '1'},
  guaranteeQuote: false,
  maxFee: '10%',
  minRate: '0.5',
  minReceived: '2',
}

const isWrong = ({isWarning}: {isWarning?: boolean | undefined}) => isWarning !== true

const readPlanBody: Read = (body) => {
  const {fields, problems} = checkPlan(body, findProblems(ownPlanFields, body))
  if (problems.some(isWrong)) return undefined
  const read = toPlan(fields)
  const list = {noun: 'payment', items: [createPaymentItem(read)]}
  return {digest: createPaymentSubject('s', read).digest, content: {fields: [], list}}
}

// The same payment, which says what is to arrive.
const {sourceAmount: _amount, ...payer} = plan.source
const receivePlan = {...plan, source: payer, minReceived: undefined, receive: '2.40', maxSend: '3'}
const receiveFields = new Set(['receive', 'maxSend', 'max-send'])

const rowCells = {
  key: 'a-1',
  customer: zoe,
  from: wallet,
  'from-currency': 'USDC',
  'from-method': 'SOLANA',
  to: bank,
  'to-currency': 'USD',
  'to-method': 'ACH',
  amount: '2.50',
  'developer-fee': '1',
  'developer-fee-type': 'USD',
  'max-fee': '10%',
  'min-rate': '0.5',
  'min-received': '2',
  guarantee: 'no',
  note: 'for May',
} satisfies Partial<Record<Column, string>>

const methods = fc.constantFrom('ACH', 'WIRE', 'SEPA', 'SOLANA', 'BASE')

const columnValues: Record<Column, fc.Arbitrary<unknown>> = {
  key,
  customer: fc.uuid(),
  from: anyText,
  'from-currency': anyText,
  'from-method': methods,
  to: anyText,
  'to-currency': anyText,
  'to-method': methods,
  amount,
  'developer-fee': amount,
  'developer-fee-type': fc.constantFrom('USD', 'SOURCE_CURRENCY'),
  'max-fee': fc.option(feeMax, {nil: undefined}),
  'min-rate': fc.option(amount, {nil: undefined}),
  'min-received': fc.option(amount, {nil: undefined}),
  guarantee: fc.option(truth, {nil: undefined}),
  note: anyText,
}

const parseCells = (cells: Body, line: number) =>
  parseRow(
    {line, cells: new Map(Object.entries(cells).filter(([, text]) => text !== undefined)) as Map<Column, string>},
    new Map(),
  )

// The row that changes is one of several, or the only one.
const createRowReader =
  (others: readonly Body[]): Read =>
  (body) => {
    const parsed = [body, ...others].map((cells, index) => parseCells(cells, index + 2))
    if (parsed.some(({problems}) => problems.length > 0)) return undefined
    const rows = parsed.map(({row}) => row)
    const list = {noun: 'row', items: rows.map((row) => createPaymentItem(row))}
    return {digest: createPayoutsSubject('s', rows).digest, content: {fields: [], list}}
  }

const otherRows = [
  {...rowCells, key: 'b-1'},
  {...rowCells, key: 'b-2', amount: '7', to: wallet, 'from-currency': 'USDT', 'max-fee': undefined},
]

const rule = {
  id: 'rule-1',
  name: 'rent',
  customerId: zoe,
  transactionTemplate: {
    source: {sourcePaymentAccountId: wallet, sourcePaymentMethod: 'SOLANA', sourceCurrency: 'USDC'},
    destination: {destinationPaymentAccountId: bank, destinationPaymentMethod: 'ACH', destinationCurrency: 'USD'},
    amount: {type: 'FLAT', value: '5'},
    developerFee: {developerFeeType: 'USD', developerFeeAmount: '1'},
  },
  trigger: {type: 'TIME_BASED', cronSchedule: '0 9 1 * *'},
}

let inputFile: string
beforeEach(() => {
  inputFile = path.join(temporaryFolder(), 'file.json')
})

const accepting = {isAccepted: true, canAsk: false, notice: () => {}}

async function readFile<T>(body: unknown, read: (file: string) => Promise<T>): Promise<T | undefined> {
  fs.writeFileSync(inputFile, JSON.stringify(body))
  try {
    return await read(inputFile)
  } catch {
    return undefined
  }
}

const createRuleReader =
  (others: readonly Body[]): Read =>
  async ({prune, ...body}) => {
    const rules = await readFile({rules: [body, ...others]}, (file) => readRuleFile(file, accepting))
    if (!rules) return undefined
    const isPruning = prune === true
    return {
      digest: createRulesSubject('s', rules, {prune: isPruning}).digest,
      content: createRulesContent(rules, isPruning),
    }
  }

const otherRule = {...rule, id: 'rule-2', name: 'other', trigger: {type: 'THRESHOLD_BASED', thresholdAmount: '7'}}

const prune: Leaf = {path: 'prune', value: fc.boolean()}
const name = (leaf: Leaf) => [leaf.path, leaf] as const

describe('a field of a payment', () => {
  it.each(listLeaves(planFile).map(name))('%s is shown if it is signed', async (_, leaf) => {
    const base = receiveFields.has(leaf.path) ? receivePlan : plan
    expect(await checkField(readPlanBody, base, leaf)).toBeGreaterThan(0)
  })
})

// A person's own remark is neither sent nor signed, so it is not shown as if it were.
const notSigned: ReadonlySet<Column> = new Set(['note'])

describe('a column of a payout file', () => {
  it.each(columns)('%s is shown if it is signed', async (column) => {
    for (const others of [[], otherRows]) {
      const changes = await checkField(createRowReader(others), rowCells, {path: column, value: columnValues[column]})
      expect(changes > 0).toBe(!notSigned.has(column))
    }
  })
})

describe('a field of a rule', () => {
  it.each([...listLeaves(ruleCreate), {path: 'id', value: anyText}, prune].map(name))(
    '%s is shown if it is signed',
    async (_, leaf) => {
      const alone = await checkField(createRuleReader([]), rule, leaf, runsOfFiles)
      const amongOthers = await checkField(createRuleReader([otherRule]), rule, leaf, runsOfFiles)
      expect(alone + amongOthers).toBeGreaterThan(0)
    },
  )
})
