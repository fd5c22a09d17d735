// Decides what of a submission is corrected, and what is asked of it: by the codes of the issues, or by asking the user.
import {toText} from '../../cli/output/view.ts'
import type {Question} from '../../cli/wizard/question.ts'
import {type Body, getValue} from '../../values/body-paths.ts'
import {type Issue, isForSupport} from './issues.ts'
import {
  type CustomerType,
  type Part,
  describeItem,
  findCustomerType,
  getItems,
  isAtOrBelow,
  partsByType,
} from './submission.ts'

export interface Correction {
  type: CustomerType
  // In the order of the submission.
  parts: readonly Part[]
  // The paths of what is asked again where the other answers are known, without the indexes of documents.
  concerns: readonly string[]
}

const pathPattern = /[A-Za-z][A-Za-z\d]*(?:\[\d+\])?(?:\.[A-Za-z][A-Za-z\d]*(?:\[\d+\])?)*/g

// A camel-case word such as postalCode is a field; "city" or "type" may be an ordinary word of the sentence.
const isFieldName = (name: string) => /[a-z][A-Z]/.test(name)

function findPartsByName(parts: readonly Part[], name: string): readonly Part[] {
  const direct = parts.filter(({paths}) => paths.some((path) => path.endsWith(`.${name}`)))
  return direct.length > 0 || !isFieldName(name) ? direct : parts.filter(({names}) => names.includes(name))
}

// Finds the parts whose fields a message of the service names: phoneNumber, address.city, documents[0].expirationDate.
export function findPartsInMessage(parts: readonly Part[], message: string): readonly Part[] {
  const found = new Set(
    (message.match(pathPattern) ?? []).flatMap((path) => {
      const byName = (path.match(/[A-Za-z][A-Za-z\d]*/g) ?? []).map((name) => findPartsByName(parts, name))
      return byName.find(({length}) => length > 0) ?? []
    }),
  )
  return parts.filter((part) => found.has(part))
}

const peoplePath = 'kybData.associatedPersons'

// A code names fields of a person: a whole person, if it names none.
const joinFields = (person: string, {entry}: Issue) =>
  entry && entry.fields.length > 0 ? entry.fields.map((field) => `${person}.${field}`) : [person]

const hasFields = ({entry}: Issue) => entry !== undefined && entry.fields.length > 0

// What an issue may be about. The service does not say whether one of a business is about the business or about somebody behind it.
// Of people who are not known, all data is asked for.
interface Target {
  name: string
  value: string
  concerns: readonly string[]
  isNamed: boolean
}

function listTargets(type: CustomerType, issue: Issue | undefined, known: Body): Target[] {
  const parts = partsByType[type]
  const message = issue?.message ?? ''
  const named = findPartsInMessage(parts, message)
  return parts.flatMap((part): Target[] => {
    const [value = ''] = part.paths
    const people = value === peoplePath ? getItems(known, peoplePath) : []
    if (people.length === 0) return [{name: part.label, value, concerns: part.paths, isNamed: named.includes(part)}]
    return people.map((person, index) => ({
      name: describeItem(person, 'Person', index),
      value: `${value}[${index}]`,
      concerns: issue ? joinFields(`${value}[${index}]`, issue) : [`${value}[${index}]`],
      isNamed: message.includes(`associatedPersons[${index}]`),
    }))
  })
}

// If nothing is named, a code with fields is about a person.
function guessTargets(issue: Issue | undefined, targets: readonly Target[]): readonly Target[] {
  const named = targets.filter(({isNamed}) => isNamed)
  const people = targets.filter(({value}) => isAtOrBelow(value, peoplePath))
  return named.length === 0 && issue && hasFields(issue) && people.length === 1 ? people : named
}

const toChoicePath = (index: number) => `$issues[${index}]`

function createTargetsQuestion(type: CustomerType, issue: Issue | undefined, index: number, known: Body): Question {
  const targets = listTargets(type, issue, known)
  return {
    path: toChoicePath(index),
    label: `What should be corrected${issue ? ` for ${issue.code}` : ''}?`,
    kind: 'several',
    isRequired: issue === undefined || hasFields(issue),
    choices: targets.map(({name, value}) => ({name, value})),
    suggestion: guessTargets(issue, targets).map(({value}) => value),
  }
}

// The questions that decide what is corrected, and what their answers say. `known` is what was sent before, as far as svc knows.
export function createChoices(customerType: unknown, issues: readonly Issue[], known: Body) {
  const type = findCustomerType(customerType)
  const correctable = issues.filter((issue) => !isForSupport(issue))
  // If the service reports no issue at all, the user may know what to correct.
  const subjects: ReadonlyArray<Issue | undefined> = issues.length === 0 ? [undefined] : correctable
  // What a code of a person names needs no question.
  const isCertain = (issue: Issue | undefined): issue is Issue =>
    type === 'INDIVIDUAL' && issue !== undefined && hasFields(issue)
  return {
    questions: subjects.flatMap((issue, index) =>
      isCertain(issue) ? [] : [createTargetsQuestion(type, issue, index, known)],
    ),
    // Undefined if nothing is corrected.
    read: (body: Body): Correction | undefined => {
      const concerns = subjects.flatMap((issue, index) => {
        if (isCertain(issue)) return joinFields('kycData', issue)
        const chosen = getValue(body, toChoicePath(index))
        const names = Array.isArray(chosen) ? chosen.map(toText) : []
        return listTargets(type, issue, known).flatMap((target) =>
          names.includes(target.value) ? target.concerns : [],
        )
      })
      const parts = partsByType[type].filter(({paths}) =>
        paths.some((path) => concerns.some((concern) => isAtOrBelow(concern, path))),
      )
      return parts.length > 0 ? {type, parts, concerns} : undefined
    },
  }
}
