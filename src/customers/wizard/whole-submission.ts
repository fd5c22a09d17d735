// The steps of a whole submission. One checklist asks which of the rarer questions apply, so that the others are not asked
// at all, and what earlier answers already say is suggested or assumed.
import type {Body} from '../../cli/body/assignments.ts'
import {getValue} from '../../cli/wizard/body-paths.ts'
import {
  type Answers,
  type Checklist,
  type ChecklistItem,
  type Question,
  type Step,
  getStepKey,
  isFork,
  isQuestion,
} from '../../cli/wizard/steps.ts'

// What may apply to a person or a business. The paths are relative to its data.
export interface Detail {
  name: string
  // A yes/no field.
  fact?: string
  // Questions that are asked only if it applies: fields, or what their paths begin or end with.
  fields?: readonly string[] | RegExp
  // An optional part or item that is added if it applies.
  adds?: string
  // A part that is asked for unless it applies.
  omits?: string
}

export interface Whole {
  // The path of the data.
  path: string
  label: string
  details: readonly Detail[]
  // The field whose question the checklist follows.
  after: string
}

const getChecklistKey = ({path}: Whole) => `${path}.checklist`

const toRelative = ({path}: Whole, step: Question) => step.path.slice(path.length + 1)

function isOfDetail({fields = []}: Detail, field: string): boolean {
  return fields instanceof RegExp ? fields.test(field) : fields.includes(field)
}

function toItem(detail: Detail, whole: Whole, steps: readonly Step[], body: Body): ChecklistItem {
  const {name, fact, adds, omits} = detail
  const {path} = whole
  if (fact !== undefined) return {name, fact: `${path}.${fact}`}
  if (omits !== undefined) return {name, fork: `${path}.${omits}`, isNegated: true}
  if (adds !== undefined)
    return {name, fork: `${path}.${adds}`, isPresent: getValue(body, `${path}.${adds}`) !== undefined}
  const isPresent = steps.some(
    (step) =>
      isQuestion(step) && isOfDetail(detail, toRelative(whole, step)) && getValue(body, step.path) !== undefined,
  )
  return {name, fork: `${path}.${name}`, isPresent}
}

const isWanted = ({fork = '', isPresent = false}: ChecklistItem, {forks}: Answers) => forks[fork] ?? isPresent

// Inserts the checklist, and leaves out the questions that do not apply.
export function withChecklist(steps: readonly Step[], answers: Answers, whole: Whole): Step[] {
  const {label, details, after, path} = whole
  const items = details.map((detail) => toItem(detail, whole, steps, answers.body))
  const isHidden = (step: Question) => {
    const field = toRelative(whole, step)
    return details.some(
      (detail, index) =>
        detail.fact === field || (isOfDetail(detail, field) && !isWanted(items[index] as ChecklistItem, answers)),
    )
  }
  const key = getChecklistKey(whole)
  const settledForks = new Set(items.flatMap(({fork}) => (answers.forks[key] ? (fork ?? []) : [])))
  const at = steps.findIndex((step) => getStepKey(step) === `${path}.${after}`)
  const checklist: Checklist = {checklist: key, label, items, heading: steps[at]?.heading}
  return steps.flatMap((step, index) => {
    const kept = isQuestion(step) && isHidden(step) ? [] : [settle(step, settledForks)]
    return index === at ? [...kept, checklist] : kept
  })
}

const settle = (step: Step, settledForks: ReadonlySet<string>): Step =>
  isFork(step) && settledForks.has(step.fork) ? {...step, isSettled: true} : step

// Changes the questions at some paths, relative to a path.
export function changeQuestions(
  steps: readonly Step[],
  path: string,
  changes: Readonly<Record<string, Pick<Question, 'suggestion' | 'isAssumed'> | undefined>>,
): Step[] {
  return steps.map((step) => {
    if (!isQuestion(step) || !step.path.startsWith(`${path}.`)) return step
    return {...step, ...changes[step.path.slice(path.length + 1)]}
  })
}

export const toSuggestion = (value: unknown): Pick<Question, 'suggestion'> =>
  typeof value === 'string' && value !== '' ? {suggestion: value} : {}

// Taken without asking if there is a value to take.
export const toAssumption = (value: unknown): Pick<Question, 'suggestion' | 'isAssumed'> => ({
  ...toSuggestion(value),
  isAssumed: true,
})

const kindsByCountry: Readonly<Record<string, string>> = {US: 'SSN'}

// The kind of national ID that is usual in a country.
export const guessNationalIdKind = (country: unknown) => kindsByCountry[String(country)] ?? 'NATIONAL_ID'
