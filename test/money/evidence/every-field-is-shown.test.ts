// For every field that a file can have, as the contract and the columns say: if its value changes the digest that people sign, it
// changes the box that they see, and the other way round. A field that is forgotten fails here.
import fs from 'node:fs'
import path from 'node:path'
import * as fc from 'fast-check'
import {beforeEach, expect, it} from 'vitest'
import type {z} from 'zod'
import {type BoxRow, renderBox} from '../../../src/cli/output/box.ts'
import {type JsonSchema, createSchemaCollector} from '../../../src/contract/json-schema.ts'
import {ruleCreate} from '../../../src/contract/rules.ts'
import {type ApprovalFact, type ShownContent, describeApprovable} from '../../../src/controls/approvable.ts'
import {
  createPaymentItem,
  createPaymentSubject,
  createPayoutsSubject,
} from '../../../src/payments/context/payment-fields.ts'
import {findProblems} from '../../../src/contract/problems.ts'
import {ownPlanFields, planFile} from '../../../src/payments/pay/plan-file.ts'
import {checkPlan, toPlan} from '../../../src/payments/pay/plan.ts'
import {type Column, columns} from '../../../src/payouts/file/records.ts'
import {parseRow} from '../../../src/payouts/file/rows.ts'
import {createRulesContent, createRulesSubject} from '../../../src/rules/rule-controls.ts'
import {readRuleFile} from '../../../src/rules/rule-file.ts'
import {withValue} from '../../../src/values/body-paths.ts'
import {bank, wallet, zoe} from '../../support/payroll.ts'
import {anyCharacter} from '../../support/any-character.ts'
import {seed} from '../../support/seed.ts'
import {temporaryFolder} from '../../support/svc.ts'

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

// Texts that look alike, are cleaned away or could pass for another field, and some of any characters.
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
const texts: readonly unknown[] = [
  ...alike,
  ...fc.sample(fc.string({unit: anyCharacter, minLength: 1, maxLength: 12}), {seed, numRuns: 20}),
  ...fc.sample(fc.string({minLength: 1, maxLength: 90}), {seed, numRuns: 10}),
]
const amounts = ['0', '1', '1.0', '10', '0.1', '0.10', '7.25', '1000000000000000000000000000000']
const crons = ['0 9 1 * *', '0 9 1,15 * *', '30 9 * * 1-5', '0 9 * * MON-FRI', '0 10 * * *']
const keys = ['a', 'A', 'a-{date}', 'A-{date}', 'a-{month}', 'a,b-{date}', 'a;b', 'x'.repeat(60)]
const feesMax = ['1', '1.0', '10', '1%', '1.0%', '10%', undefined]
const ids = [zoe, zoe.toUpperCase(), wallet, bank]

// What the schema alone does not say, by the last part of the path.
const special: Readonly<Record<string, readonly unknown[]>> = {
  key: keys,
  cronSchedule: crons,
  maxFee: feesMax,
  name: ['rent', 'Rent', 'rent-1', ...texts],
}

function listValues(name: string, schema: JsonSchema): readonly unknown[] {
  if (special[name]) return special[name]
  if (schema.enum) return schema.enum
  if (schema.type === 'boolean') return [true, false]
  if (schema.format === 'uuid') return ids
  const patterns = [schema, ...(schema.allOf ?? [])].flatMap(({pattern}) => pattern ?? [])
  if (patterns.length === 0) return texts
  return patterns.every((pattern) => new RegExp(pattern).test('1.5')) ? amounts : crons
}

interface Leaf {
  path: string
  values: readonly unknown[]
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
    const forms = (node.oneOf ?? node.anyOf)?.map(resolve).filter(({type}) => type === 'object')
    if (forms && forms.length > 1) {
      const bodies = forms.map(({properties = {}}) =>
        Object.fromEntries(Object.entries(properties).map(([field, own]) => [field, own.const ?? sample[field]])),
      )
      const fields = forms.flatMap(({properties = {}}, index) =>
        Object.entries(properties)
          .filter(([, own]) => own.const === undefined)
          .map(([field, own]) => ({
            path: `${at}.${field}`,
            values: listValues(field, resolve(own)),
            around: {path: at, value: bodies[index] ?? {}},
          })),
      )
      return [{path: at, values: bodies}, ...fields]
    }
    const {properties, required = []} = forms?.[0] ?? node
    if (!properties) {
      const values = listValues(at.split('.').at(-1) ?? '', node)
      return [{path: at, values: isOptional ? [...values, undefined] : values}]
    }
    return Object.entries(properties).flatMap(([field, own]) =>
      walk(own, at === '' ? field : `${at}.${field}`, !required.includes(field)),
    )
  }
  return walk(collector.add(schema), '', false)
}

// Two values have one digest if they have one box. Returns how many digests there are: a field that is forgotten has one.
async function checkField(read: Read, base: Body, {path: field, values, around}: Leaf): Promise<number> {
  const start = around ? withValue(base, around.path, around.value) : base
  const [digests, boxes, both] = [new Set<string>(), new Set<string>(), new Set<string>()]
  for (const value of values) {
    const shown = await read(withValue(start, field, value))
    if (!shown) continue
    const box = render(shown)
    digests.add(shown.digest)
    boxes.add(box)
    both.add(shown.digest + box)
  }
  expect([digests.size, boxes.size]).toEqual([both.size, both.size])
  return digests.size
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

const methods = ['ACH', 'WIRE', 'SEPA', 'SOLANA', 'BASE']

const columnValues: Record<Column, readonly unknown[]> = {
  key: keys,
  customer: ids,
  from: texts,
  'from-currency': texts,
  'from-method': methods,
  to: texts,
  'to-currency': texts,
  'to-method': methods,
  amount: amounts,
  'developer-fee': amounts,
  'developer-fee-type': ['USD', 'SOURCE_CURRENCY'],
  'max-fee': feesMax,
  'min-rate': [...amounts, undefined],
  'min-received': [...amounts, undefined],
  guarantee: ['yes', 'no', 'true', '0', undefined],
  note: texts,
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

const prune: Leaf = {path: 'prune', values: [true, false]}
const name = (leaf: Leaf) => [leaf.path, leaf] as const

it.each(listLeaves(planFile).map(name))('a field of a payment %s is shown if it is signed', async (_, leaf) => {
  const base = receiveFields.has(leaf.path) ? receivePlan : plan
  expect(await checkField(readPlanBody, base, leaf)).toBeGreaterThan(1)
})

// A person's own remark is neither sent nor signed, so it is not shown as if it were.
const notSigned: ReadonlySet<Column> = new Set(['note'])

it.each(columns)('a column of a payout file %s is shown if it is signed', async (column) => {
  for (const others of [[], otherRows]) {
    const digests = await checkField(createRowReader(others), rowCells, {path: column, values: columnValues[column]})
    expect(digests > 1).toBe(!notSigned.has(column))
  }
})

it.each([...listLeaves(ruleCreate), {path: 'id', values: texts}, prune].map(name))(
  'a field of a rule %s is shown if it is signed',
  async (_, leaf) => {
    const alone = await checkField(createRuleReader([]), rule, leaf)
    const amongOthers = await checkField(createRuleReader([otherRule]), rule, leaf)
    expect(Math.max(alone, amongOthers)).toBeGreaterThan(1)
  },
)
