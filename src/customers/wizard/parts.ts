// The parts of a KYC or KYB submission, as a wizard asks them. A checklist asks which of the rarer questions apply, so that the
// others are not asked at all.
import {isDeepStrictEqual} from 'node:util'
import {toText} from '../../cli/output/view.ts'
import {askAlone, askLine, askMultiSelect, requiredMessage} from '../../cli/prompts/ask.ts'
import type {Question} from '../../cli/wizard/question.ts'
import {readCode} from '../../contract/loose.ts'
import {customerTypes} from '../../contract/vocabulary.ts'
import {type Field, type List, type Node, type Section, listFields} from '../../forms/fields.ts'
import {createPersonNodes, createVerificationNodes, dataFields} from '../../forms/verification.ts'
import {type Body, getValue, withValue, withoutValue} from '../../values/body-paths.ts'
import {isRecord} from '../../values/records.ts'
import {lowerFirst} from '../../values/text.ts'
import {buildQuestions} from './questions.ts'

export type CustomerType = (typeof customerTypes)[number]

export const findCustomerType = (type: unknown): CustomerType | undefined =>
  customerTypes.find((each) => each === readCode(type))

// Answers that are not sent, by the path that they are about. It is one name, so that a list can have a count and its items others.
const toName = (path: string) => path.replaceAll('.', '/').replaceAll('[', '<').replaceAll(']', '>')
const toCountPath = (list: string) => `$.count.${toName(list)}`
const toHasPath = (section: string) => `$.has.${toName(section)}`
const toAppliesPath = (owner: string) => `$.applies.${toName(owner)}`
const toSamePath = (address: string) => `$.same.${toName(address)}`

// The path that a question is about.
export function toSubject(path: string): string {
  const [, name] = /^\$\.(?:count|has|applies|same)\.(.*)$/.exec(path) ?? []
  return name === undefined ? path : name.replaceAll('/', '.').replaceAll('<', '[').replaceAll('>', ']')
}

// What was decided about the items of a list no longer fits them once one is gone. What they have says it, too.
function forgetItems(body: Body, list: string): Body {
  const answers = isRecord(body['$']) ? body['$'] : {}
  const left = Object.entries(answers).map(([kind, named]) => [
    kind,
    isRecord(named)
      ? Object.fromEntries(Object.entries(named).filter(([name]) => !name.startsWith(`${toName(list)}<`)))
      : named,
  ])
  return {...body, $: Object.fromEntries(left)}
}

// A piece of the submitted data that can be given or corrected by itself.
export interface Part {
  name: string
  label: string
  // The fields of the data that it covers, and the names of all fields in them.
  fields: readonly string[]
  names: readonly string[]
  // Said before the part is corrected, if it is sent as a whole.
  correctionNote?: string | undefined
  // The answer that says that there is such a part.
  has?: string | undefined
  questions: (body: Body) => Question[]
}

// Nests a heading in another one: "Document 1" becomes "Person 2 of 3, document 1".
const addHeading = (question: Question, outer: string): Question => ({
  ...question,
  heading: question.heading === undefined ? outer : `${outer}, ${lowerFirst(question.heading)}`,
})

const getItems = (body: Body, list: string): readonly unknown[] => {
  const items = getValue(body, list)
  return Array.isArray(items) ? items : []
}

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
  const count = Number(getValue(body, toCountPath(path)))
  if (items.length <= count) return body
  if (count === 0) return withoutValue(body, path)
  const choices = items.map((item, value) => ({name: describeItem(item, name, value), value}))
  const kept = await askAlone(() => askMultiSelect('Which of them stay?', choices))
  const left = items.filter((_, index) => kept.includes(index))
  return withValue(withValue(forgetItems(body, path), path, left), toCountPath(path), left.length)
}

function createCountQuestion(list: List, body: Body): Question {
  const {path, title, question, usualCount} = list
  const present = getItems(body, path).length
  const usual = present > 0 ? present : usualCount
  return {
    path: toCountPath(path),
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

function buildListQuestions(list: List, body: Body): Question[] {
  const {path, item, createNodes, name} = list
  const counted = getValue(body, toCountPath(path))
  const total = typeof counted === 'number' ? counted : getItems(body, path).length
  const items = Array.from({length: total}, (_, index) => {
    const own = `${path}[${index}]`
    const questions = name === 'associatedPersons' ? buildOwnerQuestions(own, body) : buildNodes(createNodes(own), body)
    return questions.map((question) => addHeading(question, `${item} ${index + 1}${total > 1 ? ` of ${total}` : ''}`))
  })
  return [createCountQuestion(list, body), ...items.flat()]
}

// A business may have two addresses, which are told apart by their titles.
const hasTwins = ({name}: Section) => name.endsWith('Address')

function buildSectionQuestions(section: Section, body: Body): Question[] {
  const {path, title, question, isUsual, nodes} = section
  const fields = listFields(nodes)
  const questions = buildQuestions(fields, body).map((each) => ({
    ...each,
    heading: title,
    ...(hasTwins(section) && {label: `${title}: ${each.label.toLowerCase()}`}),
  }))
  if (question === undefined) return questions
  const isPresent = fields.some((field) => getValue(body, field.path) !== undefined)
  const has: Question = {
    path: toHasPath(path),
    label: question,
    heading: title,
    kind: 'yes-no',
    isRequired: true,
    suggestion: isPresent || isUsual,
    isAnswered: () => isPresent,
  }
  return [has, ...((getValue(body, has.path) ?? isPresent) ? questions : [])]
}

const buildNodes = (nodes: readonly Node[], body: Body): Question[] =>
  nodes.flatMap((node) => {
    if (node.is === 'field') return buildQuestions([node], body)
    return node.is === 'list' ? buildListQuestions(node, body) : buildSectionQuestions(node, body)
  })

// What may apply to a person or a business. The paths are relative to its data.
interface Detail {
  name: string
  // A yes/no field.
  fact?: string
  // Fields that are asked for only if it applies.
  fields?: RegExp
  // A section that is there if it applies, or unless it applies.
  adds?: string
  omits?: string
  // A list that is counted if it applies. Otherwise it has one item.
  counts?: string
}

interface Whole {
  // The path of the data.
  path: string
  label: string
  details: readonly Detail[]
  // The field whose question the checklist follows.
  after: string
}

// Records which details apply. All other facts are false, not absent.
function applyDetails(body: Body, {path, details}: Whole): Body {
  const applies = getValue(body, toAppliesPath(path))
  return details.reduce((next, {name, fact, adds, omits, counts}) => {
    const isChosen = Array.isArray(applies) && applies.includes(name)
    if (fact !== undefined) return withValue(next, `${path}.${fact}`, isChosen)
    if (adds !== undefined) return withValue(next, toHasPath(`${path}.${adds}`), isChosen)
    if (omits !== undefined) return withValue(next, toHasPath(`${path}.${omits}`), !isChosen)
    if (counts === undefined) return next
    const count = toCountPath(`${path}.${counts}`)
    return isChosen ? withoutValue(next, count) : withValue(next, count, 1)
  }, body)
}

// Inserts the checklist, and leaves out the questions that do not apply.
function withChecklist(questions: readonly Question[], body: Body, whole: Whole): Question[] {
  const {path, label, details, after} = whole
  const key = toAppliesPath(path)
  const chosen = getValue(body, key)
  const applies: readonly unknown[] | undefined = Array.isArray(chosen) ? chosen : undefined
  const toField = (each: Question) => toSubject(each.path).slice(path.length + 1)
  const hasValue = ({fields, adds}: Detail) =>
    questions.some((each) => fields?.test(toField(each)) && getValue(body, each.path) !== undefined) ||
    (adds !== undefined && getValue(body, `${path}.${adds}`) !== undefined)
  const isWanted = (detail: Detail) => applies?.includes(detail.name) ?? hasValue(detail)
  // The checklist has answered these. A list that it says to count is asked for.
  const isDecided = ({path: own}: Question) =>
    applies !== undefined &&
    details.some(({name, adds, omits, counts}) =>
      counts === undefined
        ? own === toHasPath(`${path}.${adds ?? omits}`)
        : own === toCountPath(`${path}.${counts}`) && !applies.includes(name),
    )
  const facts = details.flatMap(({fact}) => (fact === undefined ? [] : [`${path}.${fact}`]))
  const checklist: Question = {
    path: key,
    label,
    heading: questions.find((each) => each.path === `${path}.${after}`)?.heading,
    kind: 'several',
    isRequired: false,
    choices: details.map(({name}) => ({name, value: name})),
    suggestion: details
      .filter((detail) => (detail.fact ? getValue(body, `${path}.${detail.fact}`) === true : hasValue(detail)))
      .map(({name}) => name),
    // A file answers it with all facts.
    isAnswered: (answers) => facts.length > 0 && facts.every((fact) => getValue(answers, fact) !== undefined),
    afterAnswer: (answers) => applyDetails(answers, whole),
  }
  return questions.flatMap((each) => {
    const isOut = details.some((detail) => detail.fields?.test(toField(each)) && !isWanted(detail))
    const kept = isOut ? [] : [facts.includes(each.path) || isDecided(each) ? {...each, isSettled: true} : each]
    return each.path === `${path}.${after}` ? [...kept, checklist] : kept
  })
}

const personDetails: readonly Detail[] = [
  {name: 'has a middle name', fields: /^legalMiddleName$/},
  {name: 'has a second address line, such as a flat or floor', fields: /^address\.streetLine2$/},
]

const documentDetails: readonly Detail[] = [
  {name: 'has another document, such as a proof of address, or none at hand', counts: 'documents'},
  {name: 'has no national ID or tax number', omits: 'nationalId'},
]

const customerDetails: readonly Detail[] = [
  {name: 'acts on behalf of others', fact: 'isIntermediary'},
  ...personDetails,
  {name: 'states an occupation', fields: /^(employmentStatus|mostRecentOccupation)$/},
  {
    name: 'states where the money comes from and what the account is for',
    fields: /^(sourceOfFunds|accountPurpose|accountPurposeOther)$/,
  },
  {name: 'states the payments expected in a month', fields: /^expectedMonthlyPaymentsUsd$/},
  ...documentDetails,
  {name: 'has notes on a document', fields: /^documents\[\d+\]\.description$/},
]

const ownerDetails: readonly Detail[] = [
  {name: 'controls the business', fact: 'isControlPerson'},
  {name: 'may sign for the business', fact: 'isSigner'},
  {name: 'is a director', fact: 'isDirector'},
  ...personDetails,
  ...documentDetails,
  {
    name: 'gives a title, an email address or notes on a document',
    fields: /^(title|email|documents\[\d+\]\.description)$/,
  },
]

const businessDetails: readonly Detail[] = [
  {name: 'conducts money services', fact: 'conductsMoneyServices'},
  {name: 'operates in prohibited countries', fact: 'operatesInProhibitedCountries'},
  {name: 'has high-risk activities', fields: /^highRiskActivities/},
  {name: 'is a DAO', fact: 'businessInfo.isDao'},
  {name: 'has a website', fields: /^businessInfo\.website$/},
  {name: 'has other links or handles', fields: /^businessInfo\.otherLinks$/},
  {name: 'does business under another name', fields: /^businessInfo\.dbaName$/},
  {name: 'operates at another address', adds: 'businessOperatingAddress'},
  {
    name: 'gives an industry code, or describes what it does',
    fields: /^businessInfo\.business(Industries|Description)$/,
  },
  {name: 'has a second address line', fields: /^business\w+Address\.streetLine2$/},
  {
    name: 'states where its money comes from and what the account is for',
    fields: /^(sourceOfFunds|accountPurpose)/,
  },
  {name: 'states its volume and revenue', fields: /^(expectedMonthlyVolumeUsd|estimatedAnnualRevenueUsd)$/},
  {name: 'describes how it screens for compliance', fields: /^complianceScreeningDescription$/},
  {name: 'has more than one document, or none at hand', counts: 'businessDocuments'},
  {name: 'has notes on a document', fields: /^businessDocuments\[\d+\]\.description$/},
]

const wholes: Readonly<Record<CustomerType, Whole>> = {
  INDIVIDUAL: {
    path: 'kycData',
    label: 'What applies to the customer?',
    details: customerDetails,
    after: 'phoneNumber',
  },
  BUSINESS: {
    path: 'kybData',
    label: 'What applies to the business?',
    details: businessDetails,
    after: 'businessInfo.legalBusinessName',
  },
}

// All that verification asks for.
export const buildWholeQuestions = (body: Body, type: CustomerType): Question[] =>
  withChecklist(buildNodes(createVerificationNodes(type), body), body, wholes[type])

// An owner may live where the business is registered, or where an owner before lives.
function listAddresses(path: string, body: Body): Array<{name: string; value: string}> {
  const [, list = '', index = '0'] = /^(.*)\[(\d+)\]$/.exec(path) ?? []
  const earlier = Array.from({length: Number(index)}, (_, at) => ({
    whose: `of person ${at + 1}`,
    value: `${list}[${at}].address`,
  }))
  const all = [{whose: 'of the business', value: 'kybData.businessRegisteredAddress'}, ...earlier].map((each) => ({
    ...each,
    address: getValue(body, each.value),
  }))
  return all
    .filter(({address}, at) => all.findIndex((each) => isDeepStrictEqual(each.address, address)) === at)
    .filter(({address}) => getValue(address, 'streetLine1') !== undefined)
    .map(({whose, value, address}) => ({
      name: `The one ${whose}: ${toText(getValue(address, 'streetLine1'))}, ${toText(getValue(address, 'city'))}`,
      value,
    }))
}

const otherAddress = 'other'

// Offers the addresses that are known before the questions about a new one.
function withSameAddress(questions: readonly Question[], path: string, body: Body): Question[] {
  const target = `${path}.address`
  const at = questions.findIndex((each) => each.path === `${target}.countryCode`)
  const choices = listAddresses(path, body)
  if (choices.length === 0 || at === -1) return [...questions]
  const before = path.replace(/\d+(?=\]$)/, (index) => String(Number(index) - 1))
  const same: Question = {
    path: toSamePath(target),
    label: 'Home address',
    heading: questions[at]?.heading,
    kind: 'one-of',
    isRequired: true,
    choices: [{name: 'Another address', value: otherAddress}, ...choices],
    suggestion: getValue(body, toSamePath(`${before}.address`)),
    isAnswered: (answers) => getValue(answers, target) !== undefined,
  }
  const chosen = getValue(body, same.path)
  const isOwn = chosen === undefined || chosen === otherAddress
  const rest = questions.filter((each) => isOwn || !each.path.startsWith(`${target}.`))
  return [...rest.slice(0, at), same, ...rest.slice(at)]
}

function buildOwnerQuestions(path: string, body: Body): Question[] {
  const questions = buildNodes(createPersonNodes(path), body)
  const whole = {path, label: 'What applies to this person?', details: ownerDetails, after: 'ownershipPercentage'}
  return withSameAddress(withChecklist(questions, body, whole), path, body)
}

// Gives each owner who lives where somebody else does the address of that one.
export function copyAddresses(answers: Body): Body {
  const persons = 'kybData.associatedPersons'
  return getItems(answers, persons).reduce<Body>((body, _, index) => {
    const target = `${persons}[${index}].address`
    const source = getValue(answers, toSamePath(target))
    if (typeof source !== 'string' || source === otherAddress) return body
    return withValue(body, target, getValue(body, source))
  }, answers)
}

// Parts are sent as a whole where the contract does not say how partial data is merged (docs/assumptions.md, C15).
function buildSectionParts(section: Section): Part[] {
  const {name, path, title, isDivisible, nodes, question} = section
  const fields = listFields(nodes)
  const toPart = (field: Field): Part => ({
    name: field.name,
    label: field.label,
    fields: [field.name],
    names: [field.name],
    questions: (body) => buildQuestions([field], body).map((each) => ({...each, heading: title})),
  })
  if (isDivisible) return fields.map(toPart)
  const isObject = fields.some((field) => field.path.startsWith(`${path}.`))
  const isSentWhole = isObject || question !== undefined
  return [
    {
      name,
      label: title,
      fields: isObject ? [name] : fields.map((field) => field.name),
      names: fields.map((field) => field.name),
      ...(question !== undefined && {has: toHasPath(path)}),
      ...(isSentWhole && {
        correctionNote: `The ${lowerFirst(title)} is sent as a whole: enter all of it, including what was correct.`,
      }),
      questions: (body) => buildSectionQuestions(section, body),
    },
  ]
}

const listNames = (nodes: readonly Node[]): string[] =>
  nodes.flatMap((node) => {
    if (node.is === 'field') return [node.name]
    return [node.name, ...listNames(node.is === 'list' ? node.createNodes(node.path) : node.nodes)]
  })

// The service replaces a list as a whole, so all of its items are one part.
const buildListPart = (list: List): Part => ({
  name: list.name,
  label: list.title,
  fields: [list.name],
  names: listNames(list.createNodes(list.path)),
  correctionNote: `The ${lowerFirst(list.title)} are sent as one list that replaces the earlier one: enter all of them again${list.correctionHint ?? ''}.`,
  questions: (body) => buildListQuestions(list, body),
})

const buildParts = (type: CustomerType): Part[] =>
  createVerificationNodes(type).flatMap((node) => {
    if (node.is === 'field') return []
    return node.is === 'list' ? [buildListPart(node)] : buildSectionParts(node)
  })

export interface Submission {
  type: CustomerType
  key: (typeof dataFields)[CustomerType]
  // In the order in which they are asked.
  parts: readonly Part[]
}

export const submissions: Readonly<Record<CustomerType, Submission>> = {
  INDIVIDUAL: {type: 'INDIVIDUAL', key: dataFields.INDIVIDUAL, parts: buildParts('INDIVIDUAL')},
  BUSINESS: {type: 'BUSINESS', key: dataFields.BUSINESS, parts: buildParts('BUSINESS')},
}

// A part that is chosen exists, so it is not asked whether there is one.
export const acceptParts = (body: Body, parts: readonly Part[]): Body =>
  parts.reduce((next, {has}) => (has === undefined ? next : withValue(next, has, true)), body)

export const buildPartQuestions = (parts: readonly Part[], body: Body): Question[] =>
  parts.flatMap(({questions, has}) => questions(body).filter(({path}) => path !== has))
