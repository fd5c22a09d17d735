// Finds everything that is missing or wrong in a form, at once.
import type {Problem} from '../../contract/problems.ts'
import {type Field, type Node, isApplicable} from '../../forms/fields.ts'
import {validateBody} from '../../values/validate-body.ts'
import type {RequestContext} from '../service/request-context.ts'
import {type FormValues, addFirstItems, getTextBeside, isBlank, listItems, toBody} from './form-values.ts'
import type {OpenedForm} from './hosted-form.ts'

// A field that does not apply, such as one of another kind of document, is not shown.
const isMissing = (field: Field, values: FormValues) =>
  field.isRequired &&
  isApplicable(field, getTextBeside(values, field)) &&
  !values.files.has(field.path) &&
  (values.texts.get(field.path) ?? []).every((text) => text.trim() === '')

// Required fields without a value. A blank item of a list is left out when the form is sent, unless it is the only one.
function findMissingFields(nodes: readonly Node[], values: FormValues): Problem[] {
  return nodes.flatMap((node): Problem[] => {
    if (node.is === 'section') return findMissingFields(node.nodes, values)
    if (node.is === 'field') {
      return isMissing(node, values) ? [{path: node.path, kind: 'missing', message: 'is required'}] : []
    }
    const [first = `${node.path}[0]`, ...others] = listItems(values, node.path)
    return [first, ...others]
      .map(node.createNodes)
      .flatMap((inner) => (others.length > 0 && isBlank(values, inner) ? [] : findMissingFields(inner, values)))
  })
}

// The paths of all fields, lists and items, in the order in which the form shows them.
function listPaths(nodes: readonly Node[], values: FormValues): string[] {
  return nodes.flatMap((node): string[] => {
    if (node.is === 'section') return listPaths(node.nodes, values)
    if (node.is === 'field') return [node.path]
    return [
      node.path,
      ...listItems(values, node.path).flatMap((item) => [item, ...listPaths(node.createNodes(item), values)]),
    ]
  })
}

// The first problem of each field, in the order of the form.
function sortByFormOrder(problems: readonly Problem[], nodes: readonly Node[], values: FormValues): Problem[] {
  const positions = new Map(listPaths(nodes, values).map((path, index) => [path, index]))
  const getPosition = ({path}: Problem) => positions.get(path) ?? positions.size
  const firstByPath = new Map(problems.toReversed().map((problem) => [problem.path, problem]))
  return problems
    .filter((problem) => firstByPath.get(problem.path) === problem)
    .toSorted((a, b) => getPosition(a) - getPosition(b))
}

// What is required, what the contract says, and the service's own checks. `values` are without blank items.
export function findProblems(
  context: RequestContext,
  form: OpenedForm,
  values: FormValues,
  unknown: ReadonlyMap<string, string>,
): Problem[] {
  const withFirstItems = addFirstItems(values, form.nodes)
  const {problems, validPart} = validateBody(form.schema, toBody(values, form, unknown))
  return sortByFormOrder(
    [...findMissingFields(form.nodes, withFirstItems), ...problems, ...(form.check?.(context, validPart) ?? [])],
    form.nodes,
    withFirstItems,
  )
}
