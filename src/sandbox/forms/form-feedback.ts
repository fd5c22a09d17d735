// Builds what the page of a form shows: the values, the errors, and what verification asks to correct.
import type {Problem} from '../../contract/problems.ts'
import type {FormView} from './field-controls.ts'
import {createFinder} from './fields.ts'
import {addFirstItems, type FormValues} from './form-values.ts'
import type {OpenedForm} from './hosted-form.ts'
import {findIssueFields} from './issue-fields.ts'
import type {Remark} from './render-form.ts'
import {replaceFieldNames, toFormProblem} from './wording.ts'

export interface FormFeedback {
  view: FormView
  errors: Remark[]
  corrections: Remark[]
}

function groupByPath(remarks: readonly Remark[]): Map<string, string[]> {
  const messages = new Map<string, string[]>()
  for (const {path, message} of remarks) {
    if (path !== undefined) messages.set(path, [...(messages.get(path) ?? []), message])
  }
  return messages
}

export function buildFeedback(
  enteredValues: FormValues,
  opened: OpenedForm,
  problems: readonly Problem[],
  fileAddress: FormView['fileAddress'],
): FormFeedback {
  const {root, nodes, issues} = opened
  const find = createFinder(nodes)
  const values = addFirstItems(enteredValues, nodes)
  const errors = problems.map((problem) => toFormProblem(problem, root, find))
  const corrections = issues.map((issue) => ({
    message: replaceFieldNames(issue.message, [root], find, issue.item && `${root}.${issue.item}`),
    paths: findIssueFields({root, nodes, values, find}, issue),
  }))
  return {
    view: {
      values,
      problems: groupByPath(errors),
      issues: groupByPath(corrections.flatMap(({message, paths}) => paths.map((path) => ({path, message})))),
      fileAddress,
    },
    errors: errors.map(({path, sentence}) => ({path, message: sentence})),
    corrections: corrections.map(({message, paths}) => ({message, path: paths[0]})),
  }
}

export const listFileProblems = ({files}: FormValues): Problem[] =>
  [...files].flatMap(([path, {problem}]) => (problem === undefined ? [] : [{path, message: problem}]))
