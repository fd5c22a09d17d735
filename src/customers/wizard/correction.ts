// Decides what of a submission is corrected: by the fields that the codes of the issues name, or by asking.
import type {Question} from '../../cli/wizard/question.ts'
import {toText} from '../../cli/output/view.ts'
import {type Body, getValue} from '../../values/body-paths.ts'
import {type Issue, isForSupport, joinCodes} from './issues.ts'
import {type CustomerType, type Part, describeItem, getItems, isAtOrBelow, listParts, peoplePath} from './submission.ts'

export interface Correction {
  // In the order of the submission.
  parts: readonly Part[]
  // The paths of what is asked again where the other answers are known, without the indexes of documents.
  concerns: readonly string[]
}

const choicePath = '$corrected'

const hasFields = ({entry}: Issue) => entry !== undefined && entry.fields.length > 0

// A code names fields of a person: a whole person, if it names none.
const joinFields = (person: string, issues: readonly Issue[]): readonly string[] =>
  issues.length === 0
    ? [person]
    : issues.flatMap((issue) =>
        hasFields(issue) ? (issue.entry?.fields ?? []).map((field) => `${person}.${field}`) : [person],
      )

interface Target {
  name: string
  value: string
  concerns: readonly string[]
}

// What the issues may be about. Of people who are not known, all data is asked for.
function listTargets(type: CustomerType, issues: readonly Issue[], known: Body): Target[] {
  return listParts(type).flatMap(({label, paths}): Target[] => {
    const [value = ''] = paths
    const people = value === peoplePath ? getItems(known, peoplePath) : []
    if (people.length === 0) return [{name: label, value, concerns: paths}]
    return people.map((person, index) => ({
      name: describeItem(person, 'Person', index),
      value: `${value}[${index}]`,
      concerns: joinFields(`${value}[${index}]`, issues),
    }))
  })
}

// The question about what the codes leave open, if they do, and what is corrected by the answer to it. `known` is what was sent
// before, as far as svc knows. What a code of an individual names needs no question. The service does not say whether an issue of a
// business is about the business or about somebody behind it; if it reports no issue at all, the user may know what to correct.
export function planCorrection(type: CustomerType, issues: readonly Issue[], known: Body) {
  const [certain = [], open = []] = [true, false].map((isCertain) =>
    issues.filter((issue) => !isForSupport(issue) && (type === 'INDIVIDUAL' && hasFields(issue)) === isCertain),
  )
  const targets = listTargets(type, open, known)
  const people = targets.filter(({value}) => isAtOrBelow(value, peoplePath))
  const question: Question = {
    path: choicePath,
    label: `What should be corrected${open.length > 0 ? ` for ${joinCodes(open)}` : ''}?`,
    kind: 'several',
    isRequired: issues.length === 0 || open.some(hasFields),
    choices: targets.map(({name, value}) => ({name, value})),
    suggestion: open.some(hasFields) && people.length === 1 ? people.map(({value}) => value) : [],
  }
  return {
    questions: issues.length === 0 || open.length > 0 ? [question] : [],
    read: (body: Body): Correction => {
      const chosen = getValue(body, choicePath)
      const values = Array.isArray(chosen) ? chosen.map(toText) : []
      const concerns = [
        ...(certain.length > 0 ? joinFields('kycData', certain) : []),
        ...targets.filter(({value}) => values.includes(value)).flatMap((target) => target.concerns),
      ]
      const parts = listParts(type).filter(({paths}) =>
        paths.some((path) => concerns.some((concern) => isAtOrBelow(concern, path))),
      )
      return {parts, concerns}
    },
  }
}
