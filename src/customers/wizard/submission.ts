// The questions of a KYC or KYB submission, made from its sections and lists. A checklist asks which of the rarer ones apply, so that
// the others are not asked at all.
import {joinParts, toText} from '../../cli/output/view.ts'
import {askAlone, askLine, askMultiSelect, requiredMessage} from '../../cli/prompts/ask.ts'
import type {Question} from '../../cli/wizard/question.ts'
import {readCode} from '../../contract/loose.ts'
import {customerTypes} from '../../contract/vocabulary.ts'
import {type List, type Node, type Section, listFields} from '../../forms/fields.ts'
import {createVerificationNodes, dataFields} from '../../forms/verification.ts'
import {type Body, getValue, isAtOrBelow, withValue, withoutValue} from '../../values/body-paths.ts'
import {dropIndexes} from '../../values/records.ts'
import {lowerFirst} from '../../values/text.ts'
import {buildQuestions} from './questions.ts'

export type CustomerType = (typeof customerTypes)[number]

export const findCustomerType = (type: unknown): CustomerType =>
  customerTypes.find((each) => each === readCode(type)) ?? 'INDIVIDUAL'

// An answer that is not sent stands beside what it is about: kycData.$documents is how many documents there are.
const toUnsent = (path: string) => path.replace(/[^.]+$/, '$$$&')

// The path that a question is about.
export const toSubject = (path: string) => path.replace('$', '')

export const getItems = (body: unknown, list: string): readonly unknown[] => {
  const items = getValue(body, list)
  return Array.isArray(items) ? items : []
}

// Whether something that is not always there is asked for.
type Wants = (node: Node) => boolean

const countMax = 20

async function askCount(label: string, usual: number | undefined): Promise<number> {
  const range = `a number from 0 to ${countMax}`
  const text = await askLine({
    message: label,
    hint: usual === undefined ? range : `${range}. Press Enter for ${usual}`,
    check: (typed) => {
      if (typed === '') return usual === undefined ? requiredMessage : undefined
      return /^\d+$/.test(typed) && Number(typed) <= countMax ? undefined : `Write ${range}`
    },
    format: (typed) => typed || String(usual),
  })
  return text === '' ? (usual ?? 0) : Number(text)
}

// What an item of a list is known by.
export const describeItem = (item: unknown, name: string, index: number) =>
  [getValue(item, 'legalFirstName'), getValue(item, 'legalLastName'), getValue(item, 'type')]
    .map(toText)
    .filter(Boolean)
    .join(' ') || `${name} ${index + 1}`

// If there are fewer than before, the person says which ones stay.
async function dropItems(body: Body, {path, item: name}: List): Promise<Body> {
  const items = getItems(body, path)
  const count = Number(getValue(body, toUnsent(path)))
  if (items.length <= count) return body
  if (count === 0) return withoutValue(body, path)
  const choices = items.map((item, value) => ({name: describeItem(item, name, value), value}))
  const kept = await askAlone(() => askMultiSelect('Which of them stay?', choices))
  const left = items.filter((_, index) => kept.includes(index))
  return withValue(withValue(body, path, left), toUnsent(path), left.length)
}

function createCountQuestion(list: List, body: Body): Question {
  const {path, title, question, usualCount} = list
  const present = getItems(body, path).length
  const usual = present > 0 ? present : usualCount
  return {
    path: toUnsent(path),
    label: question,
    heading: title,
    kind: 'text',
    isRequired: true,
    ask: (current) => askCount(question, typeof current === 'number' ? current : usual),
    isAnswered: () => present > 0,
    afterAnswer: (next) => dropItems(next, list),
  }
}

// Suggests one item more than there are.
export const addOneMore = (count: Question): Question => ({
  ...count,
  ask: (_, body) => askCount(count.label, getItems(body, toSubject(count.path)).length + 1),
})

// Nests a heading in another one: "Document 1" becomes "Person 2 of 3, document 1".
const addHeading = (question: Question, outer: string): Question => ({
  ...question,
  heading: question.heading === undefined ? outer : `${outer}, ${lowerFirst(question.heading)}`,
})

function buildList(list: List, body: Body, wants: Wants): Question[] {
  const {path, item, createNodes, usualCount} = list
  const isCounted = wants(list)
  const counted = getValue(body, toUnsent(path))
  const present = getItems(body, path).length
  const total = isCounted && typeof counted === 'number' ? counted : present || (isCounted ? 0 : (usualCount ?? 0))
  const items = Array.from({length: total}, (_, index) => {
    const own = `${path}[${index}]`
    // Of documents, the checklist of their owner decides.
    const questions =
      usualCount === undefined ? buildPerson(own, createNodes(own), body) : buildNodes(createNodes(own), body, wants)
    return questions.map((question) => addHeading(question, `${item} ${index + 1}${total > 1 ? ` of ${total}` : ''}`))
  })
  return [...(isCounted ? [createCountQuestion(list, body)] : []), ...items.flat()]
}

function buildSection(section: Section, body: Body, wants: Wants): Question[] {
  const {title, name, nodes, isOptional} = section
  if (!wants(section)) return []
  return buildNodes(nodes, body, isOptional ? () => true : wants).map((question) => ({
    ...question,
    heading: title,
    // A business may have two addresses, which are told apart by their titles.
    ...(name.endsWith('Address') && {label: `${title}: ${question.label.toLowerCase()}`}),
  }))
}

const buildNodes = (nodes: readonly Node[], body: Body, wants: Wants): Question[] =>
  nodes.flatMap((node) => {
    if (node.is === 'list') return buildList(node, body, wants)
    if (node.is === 'section') return buildSection(node, body, wants)
    return wants(node) ? buildQuestions([node], body) : []
  })

const toKey = (owner: string, path: string) => dropIndexes(path.slice(owner.length + 1))

// In the path, [] stands for any item.
function hasValue(body: unknown, path: string): boolean {
  const [list = '', ...rest] = path.split('[].')
  if (rest.length === 0) return getValue(body, path) !== undefined
  return getItems(body, list).some((item) => hasValue(item, rest.join('[].')))
}

// What only some have.
function listExtras(nodes: readonly Node[]): Node[] {
  return nodes.flatMap((node): Node[] => {
    if (node.is === 'field') return node.isRare ? [node] : []
    if (node.is === 'section') return node.isOptional ? [node] : listExtras(node.nodes)
    return node.usualCount === undefined ? [] : [node, ...listExtras(node.createNodes(`${node.path}[]`))]
  })
}

// A yes or no, which the checklist itself answers.
const isFact = (node: Node) => node.is === 'field' && node.kind === 'yes-no'

const nameExtra = (node: Node) =>
  node.is === 'list' ? `More than one ${lowerFirst(node.item)}, or none` : node.is === 'field' ? node.label : node.title

function isGiven(node: Node, body: Body): boolean {
  if (node.is === 'list') return getItems(body, node.path).length > 1
  if (node.is === 'section') return listFields(node.nodes).some(({path}) => hasValue(body, path))
  return isFact(node) ? getValue(body, node.path) === true : hasValue(body, node.path)
}

// All questions about a person or a business, with the checklist after the first section.
function buildWhole(owner: string, nodes: readonly Node[], body: Body, label: string): Question[] {
  const [first, ...others] = nodes
  const extras = new Map(listExtras(nodes).map((node) => [toKey(owner, node.path), node]))
  const pickKeys = (isPicked: (node: Node) => boolean) =>
    [...extras].filter(([, node]) => isPicked(node)).map(([key]) => key)
  const path = `${owner}.$applies`
  const chosen = getValue(body, path)
  const given = pickKeys((node) => isGiven(node, body))
  const facts = pickKeys(isFact)
  const wants: Wants = (node) => {
    const key = toKey(owner, node.path)
    if (!extras.has(key) || facts.includes(key)) return true
    // Without an answer, a list of usual length is counted all the same.
    return Array.isArray(chosen) ? chosen.includes(key) : node.is === 'list' || given.includes(key)
  }
  const settle = (question: Question): Question =>
    facts.includes(toKey(owner, question.path)) ? {...question, isSettled: true} : question
  const build = (some: readonly Node[]) => buildNodes(some, body, wants).map(settle)
  const checklist: Question = {
    path,
    label,
    heading: first && first.is !== 'field' ? first.title : undefined,
    kind: 'several',
    isRequired: false,
    choices: [...extras].map(([value, node]) => ({name: nameExtra(node), value})),
    suggestion: [...given, ...pickKeys((node) => node.is === 'section' && node.isOptional === 'usual')],
    // A file answers it with all facts.
    isAnswered: (answers) =>
      facts.length > 0 && facts.every((fact) => getValue(answers, `${owner}.${fact}`) !== undefined),
    // What does not apply is false, not absent.
    afterAnswer: (answers) =>
      facts.reduce((next, fact) => {
        const applies = getValue(answers, path)
        return withValue(next, `${owner}.${fact}`, Array.isArray(applies) && applies.includes(fact))
      }, answers),
  }
  return [...build(first ? [first] : []), checklist, ...build(others)]
}

const registeredAddress = 'kybData.businessRegisteredAddress'

// An owner, director or signer, who may live where the business is registered.
function buildPerson(path: string, nodes: readonly Node[], body: Body): Question[] {
  const questions = buildWhole(path, nodes, body, 'What applies to this person?')
  const target = `${path}.address`
  const at = questions.findIndex((question) => isAtOrBelow(question.path, target))
  const registered = getValue(body, registeredAddress)
  const street = toText(getValue(registered, 'streetLine1'))
  if (street === '' || at === -1) return questions
  const same: Question = {
    path: toUnsent(target),
    label: `Home address as that of the business: ${joinParts(street, getValue(registered, 'city'))}?`,
    heading: questions[at]?.heading,
    kind: 'yes-no',
    isRequired: true,
    isAnswered: (answers) => getValue(answers, target) !== undefined,
  }
  const isSame = getValue(body, same.path) === true
  const rest = questions.map((each) => (isSame && isAtOrBelow(each.path, target) ? {...each, isSettled: true} : each))
  return [...rest.slice(0, at), same, ...rest.slice(at)]
}

export const peoplePath = 'kybData.associatedPersons'

// Gives each owner who lives where the business is registered that address.
export function copyAddresses(answers: Body): Body {
  return getItems(answers, peoplePath).reduce<Body>((body, _, index) => {
    const target = `${peoplePath}[${index}].address`
    return getValue(answers, toUnsent(target)) === true
      ? withValue(body, target, getValue(body, registeredAddress))
      : body
  }, answers)
}

// A piece of the submitted data that can be given or corrected by itself. It is sent as a whole where the contract does not say how
// partial data is merged (docs/assumptions.md, C15).
export interface Part {
  label: string
  // What it covers: fields, objects and lists of the data.
  paths: readonly string[]
  // More than one field.
  isCompound: boolean
}

const toPart = (node: Node): Part => ({
  label: node.is === 'field' ? node.label : node.title,
  paths:
    node.is === 'section'
      ? [...new Set(listFields(node.nodes).map(({path}) => path.split('.', 2).join('.')))]
      : [node.path],
  isCompound: node.is !== 'field',
})

// In the order in which they are asked.
export const listParts = (type: CustomerType): Part[] =>
  createVerificationNodes(type).flatMap((node) =>
    (node.is === 'section' && node.isDivisible ? node.nodes : [node]).map(toPart),
  )

export const isOfPart = (path: string, {paths}: Part) => paths.some((each) => isAtOrBelow(toSubject(path), each))

// All that verification asks for.
export const buildSubmission = (type: CustomerType, body: Body): Question[] =>
  buildWhole(
    dataFields[type],
    createVerificationNodes(type),
    body,
    type === 'BUSINESS' ? 'What applies to the business?' : 'What applies to the customer?',
  )

// All that these parts have.
export const buildPartQuestions = (type: CustomerType, parts: readonly Part[], body: Body): Question[] =>
  buildNodes(createVerificationNodes(type), body, () => true).filter(({path}) =>
    parts.some((part) => isOfPart(path, part)),
  )
