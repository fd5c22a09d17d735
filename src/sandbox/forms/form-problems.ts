// Finds everything that is wrong with a form at once, so that the page can show it beside the fields.
import type {Problem} from '../../contract/problems.ts'
import {validateBody} from '../../values/validate-body.ts'
import type {RequestContext} from '../service/request-context.ts'
import type {Field, Node} from './fields.ts'
import {toBody} from './form-submission.ts'
import {countItems, type FormValues, getText, isBlank} from './form-values.ts'
import type {OpenedForm} from './hosted-form.ts'

// Fields that only another kind of document has are not shown, so they are not asked for.
function isOfOtherKind({only, path}: Field, values: FormValues): boolean {
  if (only === undefined) return false
  const kind = getText(values, path.replace(/\.[^.]+$/, '.type'))
  return (kind === 'PROOF_OF_ADDRESS') !== (only === 'PROOF_OF_ADDRESS')
}

const isMissing = (field: Field, values: FormValues) =>
  field.isRequired &&
  !isOfOtherKind(field, values) &&
  !values.files.has(field.path) &&
  (values.texts.get(field.path) ?? []).every((text) => text.trim() === '')

// Required fields without a value. A blank item of a list is left out when the form is sent, unless it is the only one.
export function findMissingFields(nodes: readonly Node[], values: FormValues): Problem[] {
  return nodes.flatMap((node): Problem[] => {
    if (node.is === 'section') return findMissingFields(node.nodes, values)
    if (node.is === 'field') {
      return isMissing(node, values) ? [{path: node.path, kind: 'missing', message: 'is required'}] : []
    }
    const length = Math.max(1, countItems(values, node.path))
    return Array.from({length}, (_, index) => node.createNodes(`${node.path}[${index}]`)).flatMap((inner) =>
      length > 1 && isBlank(values, inner) ? [] : findMissingFields(inner, values),
    )
  })
}

// What the contract and the service's own checks find.
export function findFormProblems(
  context: RequestContext,
  opened: OpenedForm,
  values: FormValues,
  unknown: ReadonlyMap<string, string>,
): Problem[] {
  const body = toBody(values, opened, unknown)
  const {problems, validPart} = validateBody(opened.schema, body)
  return [...problems, ...(opened.check?.(context, validPart) ?? [])]
}

// The paths of all fields, lists and items, in the order in which the form shows them.
function listPaths(nodes: readonly Node[], values: FormValues): string[] {
  return nodes.flatMap((node): string[] => {
    if (node.is === 'section') return listPaths(node.nodes, values)
    if (node.is === 'field') return [node.path]
    const items = Array.from({length: countItems(values, node.path)}, (_, index) => `${node.path}[${index}]`)
    return [node.path, ...items.flatMap((item) => [item, ...listPaths(node.createNodes(item), values)])]
  })
}

// The first problem of each field, in the order of the form.
export function sortByFormOrder(problems: readonly Problem[], nodes: readonly Node[], values: FormValues): Problem[] {
  const positions = new Map(listPaths(nodes, values).map((path, index) => [path, index]))
  const getPosition = ({path}: Problem) => positions.get(path) ?? positions.size
  const firstByPath = new Map(problems.toReversed().map((problem) => [problem.path, problem]))
  return problems
    .filter((problem) => firstByPath.get(problem.path) === problem)
    .toSorted((a, b) => getPosition(a) - getPosition(b))
}
