// Reads a scenario from YAML or JSON, and reports everything that is wrong with it, by line, before anything is done.
import {z} from 'zod'
import {type Problem, findProblems} from '../../contract/problems.ts'
import {text} from '../../contract/scalars.ts'
import {SvcError, badUsage} from '../../errors.ts'
import {type ParsedYaml, parseYaml, toData} from '../../values/yaml.ts'
import {expectationRefersTo, expectationSchemas, isSubject, type Subject} from './expectation-schemas.ts'
import {type Action, type ThingKind, instant, isAction, makes, refersTo, stepSchemas} from './step-schemas.ts'
import {isReference, listReferences, type Reference} from './stage.ts'

export interface ScenarioStep {
  // From 1.
  number: number
  line: number
  action: Action
  // As in the file, with references.
  fields: Readonly<Record<string, unknown>>
  // The expectations of a step that has some, with their lines.
  expectations: ReadonlyArray<{line: number; subject: Subject; fields: Readonly<Record<string, unknown>>}>
}

export interface Scenario {
  name: string | undefined
  seed: string
  // When the scenario says when it starts.
  start: Date | undefined
  steps: readonly ScenarioStep[]
}

const seedDefault = 'scenario'
const stepsMax = 10_000
const problemsMax = 100

const header = z.strictObject({
  name: text.optional(),
  seed: text.optional(),
  start: instant.optional(),
  steps: z
    .array(z.record(z.string(), z.unknown(), 'must be an object'), 'must be a list of steps')
    .min(1, 'has no step')
    .max(stepsMax),
})

type Path = ReadonlyArray<string | number>

interface Found {
  path: Path
  message: string
}

// Numbers keep their exact digits: JSON for the service gets the number, and the fields of a step get the text.
function readNumber(source: string): unknown {
  try {
    return JSON.rawJSON(source)
  } catch {
    return source
  }
}

const numericFields = new Set(['ownershipPercentage'])

// Fields take numbers as text. The body of a request keeps them, and so does the one field of verification data that is a number.
function toTexts(value: unknown, key = ''): unknown {
  if (key === 'body' || typeof value !== 'object' || value === null) return value
  if (JSON.isRawJSON(value)) return numericFields.has(key) ? value : value.rawJSON
  if (Array.isArray(value)) return value.map((item) => toTexts(item))
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toTexts(item, name)]))
}

const splitPath = (path: string): Path =>
  path
    .split(/[.[\]]+/)
    .filter((key) => key !== '')
    .map((key) => (/^\d+$/.test(key) ? Number(key) : key))

const getIn = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[key] : undefined),
    value,
  )

// The words of the contract are about the interface of the service.
const nameHolder = (message: string, at: Path) =>
  message.replace('of the interface', at.length === 0 ? 'of a scenario' : 'of this step')

// A value that is only known when the step runs is checked then.
const findIn = (schema: z.ZodType, value: unknown, at: Path): Found[] =>
  findProblems(schema, value)
    .map(({path, message}: Problem) => ({path: splitPath(path), message: nameHolder(message, at)}))
    .filter(({path}) => !isReference(getIn(value, path)))
    .map(({path, message}) => ({path: [...at, ...path], message}))

interface YamlNode {
  range?: readonly number[] | null
  items?: ReadonlyArray<YamlNode | {key?: YamlNode & {value?: unknown}; value?: YamlNode}>
}

// The line of the field at a path, or of the innermost part of it that the file has.
function findLine({document, lineOf}: ParsedYaml, path: Path): number {
  let node = document.contents as YamlNode | null | undefined
  let offset = node?.range?.[0]
  for (const key of path) {
    const entry =
      typeof key === 'number'
        ? node?.items?.[key]
        : node?.items?.find((item) => 'key' in item && String(item.key?.value) === key)
    if (!entry) break
    const [mark, next] = 'key' in entry ? [entry.key, entry.value] : [entry as YamlNode, entry as YamlNode]
    offset = mark?.range?.[0] ?? offset
    node = next
  }
  return lineOf(offset)
}

const addArticle = (noun: string) => (/^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`)

// The kind of each name that was made so far.
type Names = Map<string, ThingKind>

function checkReferences(
  names: Names,
  fields: Readonly<Record<string, unknown>>,
  kinds: Readonly<Record<string, readonly ThingKind[]>>,
  at: Path,
): Found[] {
  const check = (field: string, {name, path}: Reference): Found[] => {
    const kind = names.get(name)
    const expected = kinds[field]
    if (kind === undefined) return [{path: [...at, field], message: `names $${name}, which no earlier step makes`}]
    if (!expected || expected.includes(kind) || path.length > 0) return []
    const wanted = expected.map(addArticle).join(' or ')
    return [{path: [...at, field], message: `names $${name}, which is ${addArticle(kind)} and not ${wanted}`}]
  }
  return Object.entries(fields).flatMap(([field, value]) => listReferences(value).flatMap((each) => check(field, each)))
}

interface CheckedStep {
  found: Found[]
  action?: Action
  expectations: Array<{path: Path; subject: Subject; fields: Record<string, unknown>}>
}

function checkExpectation(value: unknown, at: Path, names: Names): {found: Found[]; subject?: Subject} {
  const fields = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  const [subject] = Object.keys(fields ?? {})
  if (!fields || !isSubject(subject)) {
    const message = `must begin with one of ${Object.keys(expectationSchemas).join(', ')}`
    return {found: [{path: at, message}]}
  }
  const found = [
    ...findIn(expectationSchemas[subject], fields, at),
    ...checkReferences(names, fields as Record<string, unknown>, expectationRefersTo[subject] ?? {}, at),
  ]
  return {found, subject}
}

const exclusive: Partial<Record<Action, ReadonlyArray<readonly [string, string]>>> = {
  rule: [
    ['amount', 'percent'],
    ['cron', 'threshold'],
  ],
}

function checkExclusive(action: Action, fields: Readonly<Record<string, unknown>>, at: Path): Found[] {
  return (exclusive[action] ?? [])
    .map((pair) => ({pair, count: pair.filter((field) => fields[field] !== undefined).length}))
    .filter(({count}) => count !== 1)
    .map(({pair, count}) => ({path: at, message: `needs ${pair.join(' or ')}${count > 1 ? ', and not both' : ''}`}))
}

function checkStep(fields: Record<string, unknown>, at: Path, names: Names): CheckedStep {
  const action = Object.keys(fields).find((field) => field !== 'note')
  if (!isAction(action)) {
    const what = action === undefined ? 'is empty' : `begins with ${JSON.stringify(action)}`
    const message = `${what}, but must begin with one of ${Object.keys(stepSchemas).join(', ')}`
    return {found: [{path: at, message}], expectations: []}
  }
  const {expect, ...others} = fields
  const found = [
    ...findIn(stepSchemas[action], fields, at),
    ...checkReferences(names, others, refersTo[action] ?? {}, at),
    ...checkExclusive(action, fields, at),
  ]
  const made = makes[action]
  const name = made && fields[made.field]
  if (made && typeof name === 'string' && fields['fails'] === undefined) names.set(name, made.kind)
  const listed = expect === undefined ? [] : [expect].flat()
  const checked = listed.map((value, index) => {
    const path = Array.isArray(expect) ? [...at, 'expect', index] : [...at, 'expect']
    return {path, fields: value as Record<string, unknown>, ...checkExpectation(value, path, names)}
  })
  const expectations = checked.flatMap(({path, fields: own, subject}) =>
    subject ? [{path, fields: own, subject}] : [],
  )
  return {found: [...found, ...checked.flatMap((each) => each.found)], action, expectations}
}

function reject(lines: readonly string[]): never {
  const [only = ''] = lines
  const shown = lines.slice(0, problemsMax)
  if (lines.length > problemsMax) shown.push(`and ${lines.length - problemsMax} more`)
  throw new SvcError({
    error: 'BAD_USAGE',
    kind: 'usage',
    message:
      lines.length === 1 ? `The scenario cannot be played: ${only}` : `The scenario has ${lines.length} problems`,
    hint: 'Nothing was done; `svc sandbox play --template` shows how a scenario is written',
    ...(lines.length > 1 && {problems: shown}),
  })
}

const describePath = (path: Path) => {
  const [first, index, ...rest] = path
  const words =
    first === 'steps' && typeof index === 'number' ? [`step ${index + 1}`, rest.join('.')] : [path.join('.')]
  return words.filter((word) => word !== '').join(', ') || 'the scenario'
}

export async function readScenario(source: string): Promise<Scenario> {
  if (source.trim() === '')
    throw badUsage('There is nothing in the scenario', '`svc sandbox play --template` writes one')
  const parsed = await parseYaml(source, readNumber)
  if (parsed.problems.length > 0) reject(parsed.problems.map(({line, message}) => `line ${line} ${message}`))
  const converted = toData(parsed)
  if ('problem' in converted) reject([`line ${converted.problem.line} ${converted.problem.message}`])
  const content = toTexts(converted.data) as Record<string, unknown>
  const names: Names = new Map()
  const top = findIn(header, content, [])
  const items = Array.isArray(content?.['steps']) ? (content['steps'] as Array<Record<string, unknown>>) : []
  const checked = items.map((fields, index) =>
    typeof fields === 'object' && fields !== null && !Array.isArray(fields)
      ? checkStep(fields, ['steps', index], names)
      : {found: [], expectations: []},
  )
  const found = [...top, ...checked.flatMap((each) => each.found)]
  const problems = found.map(({path, message}) => ({
    line: findLine(parsed, path),
    text: `${describePath(path)} ${message}`,
  }))
  if (problems.length > 0) {
    reject(problems.toSorted((a, b) => a.line - b.line).map(({line, text: words}) => `line ${line}: ${words}`))
  }
  const {name, seed = seedDefault, start} = header.parse(content)
  const steps = checked.map(({action, expectations}, index) => ({
    number: index + 1,
    line: findLine(parsed, ['steps', index]),
    action: action as Action,
    fields: items[index] ?? {},
    expectations: expectations.map(({path, subject, fields}) => ({line: findLine(parsed, path), subject, fields})),
  }))
  return {name, seed, start, steps}
}
