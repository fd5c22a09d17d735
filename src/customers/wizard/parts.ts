// The parts of a KYC or KYB submission as a wizard asks them: sections become questions, lists grow as long as the user adds an
// item.
import {type List, type Node, type Section, listFields} from '../../forms/fields.ts'
import {createKycNodes, createPersonNodes} from '../../forms/verification.ts'
import {type Answers, type Fork, type Part, type Step, addHeading, isFork} from '../../cli/wizard/steps.ts'
import {getValue} from '../../values/body-paths.ts'
import {lowerFirst} from '../../values/text.ts'
import {buildQuestions} from './questions.ts'

interface ListLabels {
  // The question for the first item.
  first: string
  // The question for every further item.
  next: string
  // The heading of an item, such as "Person".
  item: string
}

// For each item a fork, and after a yes its questions. The last fork is the one that was not answered with yes. `total` is
// the number of items, if it is known.
function buildListSteps(
  {body, forks}: Answers,
  list: string,
  {first, next, item}: ListLabels,
  buildItemSteps: (path: string) => Step[],
  total?: number,
): Step[] {
  const steps: Step[] = []
  for (let index = 0; ; index++) {
    const path = `${list}[${index}]`
    const ordinal = `${item} ${index + 1}`
    const heading = total === undefined ? ordinal : `${ordinal} of ${total}`
    const isPresent = getValue(body, path) !== undefined
    const label = isPresent ? `Keep ${ordinal.toLowerCase()}?` : index === 0 ? first : next
    steps.push({fork: path, label, suggestion: index === 0, isPresent})
    if (!(forks[path] ?? isPresent)) return steps
    steps.push(...buildItemSteps(path).map((step) => addHeading(step, heading)))
  }
}

// The same for a list whose items are counted first, so that each can say "1 of 2". "Add another?" is asked only of items
// that were not counted, such as those of a file.
function buildCountedListSteps(
  answers: Answers,
  list: string,
  {count, ...labels}: ListLabels & {count: string},
  buildItemSteps: (path: string) => Step[],
): Step[] {
  const {body, forks} = answers
  const isOpen = (index: number) => forks[`${list}[${index}]`] ?? getValue(body, `${list}[${index}]`) !== undefined
  let total = 0
  while (isOpen(total)) total++
  const isCounted = forks[`${list}[0]`] !== undefined
  const steps = buildListSteps(answers, list, labels, buildItemSteps, total).map((step) =>
    isFork(step) && step.fork.startsWith(list) && (total === 0 || forks[step.fork] !== undefined || step.isPresent)
      ? settleItem(step, list)
      : step,
  )
  return [{count: list, label: count, present: total, isSettled: total > 0 && !isCounted}, ...steps]
}

// Only the forks of the list itself, not those inside its items.
const settleItem = (step: Fork, list: string): Fork =>
  /^\[\d+\]$/.test(step.fork.slice(list.length)) ? {...step, isSettled: true} : step

// A business may have two addresses, which are told apart by their titles.
const hasTwins = ({name}: Section) => name.endsWith('Address')

function buildSectionSteps(section: Section, {body, forks}: Answers): Step[] {
  const {path, title, question, isUsual = false, nodes} = section
  const fields = listFields(nodes)
  const questions = buildQuestions(fields, body).map((each) =>
    hasTwins(section) ? {...each, label: `${title}: ${each.label.toLowerCase()}`} : each,
  )
  if (question === undefined) return questions
  const isPresent = fields.some((field) => getValue(body, field.path) !== undefined)
  const fork: Fork = {fork: path, label: question, isPresent, suggestion: isUsual}
  return [fork, ...((forks[path] ?? isPresent) ? questions : [])]
}

// Parts are sent as a whole where the contract does not say how partial data is merged (docs/assumptions.md, C15). A section of an
// object goes by the name of its field, any other by the fields that it has.
function buildSectionParts(section: Section): Part[] {
  const {name, path, title, isDivisible, nodes} = section
  const fields = listFields(nodes)
  if (isDivisible) {
    return fields.map((field) => ({
      name: field.name,
      label: field.label,
      section: title,
      steps: ({body}) => buildQuestions([field], body),
    }))
  }
  const isObject = fields.some((field) => field.path.startsWith(`${path}.`))
  return [
    {
      name,
      ...(!isObject && {fields: fields.map((field) => field.name)}),
      label: title,
      section: title,
      correctionNote:
        isObject || section.question !== undefined
          ? `The ${lowerFirst(title)} is sent as a whole: enter all of it, including what was correct.`
          : undefined,
      steps: (answers) => buildSectionSteps(section, answers),
    },
  ]
}

export type BuildItemSteps = (answers: Answers, path: string) => Step[]

// The service replaces a list as a whole, so all of its items are one part.
function buildListPart(list: List, buildItem?: BuildItemSteps): Part {
  const {path, name, title, item, question, countQuestion, correctionHint = '', createNodes} = list
  const labels = {first: question, next: `Add another ${item.toLowerCase()}?`, item}
  return {
    name,
    label: title,
    section: title,
    correctionNote: `The ${lowerFirst(title)} are sent as one list that replaces the earlier one: enter all of them again${correctionHint}.`,
    steps: (answers) => {
      const buildSteps = (itemPath: string) =>
        buildItem ? buildItem(answers, itemPath) : buildQuestions(listFields(createNodes(itemPath)), answers.body)
      return countQuestion === undefined
        ? buildListSteps(answers, path, labels, buildSteps)
        : buildCountedListSteps(answers, path, {...labels, count: countQuestion}, buildSteps)
    },
  }
}

// `itemSteps` has the steps of an item of some lists, where they are more than its fields.
export const buildParts = (nodes: readonly Node[], itemSteps: Readonly<Record<string, BuildItemSteps>> = {}): Part[] =>
  nodes.flatMap((node): Part[] => {
    if (node.is === 'field') return []
    return node.is === 'list' ? [buildListPart(node, itemSteps[node.name])] : buildSectionParts(node)
  })

export const buildKycParts = (path = 'kycData'): Part[] => buildParts(createKycNodes(path))

export const buildPersonParts = (path: string): Part[] => buildParts(createPersonNodes(path))
