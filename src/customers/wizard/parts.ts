// The parts of a KYC or KYB submission as a wizard asks them: sections become questions, lists grow as long as the user adds an
// item.
import {type List, type Node, type Section, listFields} from '../../forms/fields.ts'
import {createKycNodes, createPersonNodes} from '../../forms/verification.ts'
import {type Answers, type Fork, type Part, type Step, addHeading} from '../../cli/wizard/steps.ts'
import {getValue} from '../../values/body-paths.ts'
import {lowerFirst} from '../../values/text.ts'
import {buildQuestions} from './questions.ts'

// For each item a fork, and after a yes its questions. The last fork is the one that was not answered with yes. Where the items are
// counted first, each can say "1 of 2", and "Add another?" is asked only of items that were not counted, such as those of a file.
function buildListSteps(
  {body, forks}: Answers,
  {path: list, item, question, countQuestion}: List,
  buildItemSteps: (path: string) => Step[],
): Step[] {
  const isPresent = (index: number) => getValue(body, `${list}[${index}]`) !== undefined
  let total = 0
  while (forks[`${list}[${total}]`] ?? isPresent(total)) total++
  const isCounted = countQuestion !== undefined
  const isEarlier = total > 0 && forks[`${list}[0]`] === undefined
  const steps: Step[] = isCounted ? [{count: list, label: countQuestion, present: total, isSettled: isEarlier}] : []
  for (let index = 0; index <= total; index++) {
    const fork = `${list}[${index}]`
    const ordinal = `${item} ${index + 1}`
    const isKept = isPresent(index)
    const adding = index === 0 ? question : `Add another ${item.toLowerCase()}?`
    steps.push({
      fork,
      label: isKept ? `Keep ${ordinal.toLowerCase()}?` : adding,
      suggestion: index === 0,
      isPresent: isKept,
      ...(isCounted && (total === 0 || forks[fork] !== undefined || isKept) && {isSettled: true}),
    })
    const heading = isCounted ? `${ordinal} of ${total}` : ordinal
    if (index < total) steps.push(...buildItemSteps(fork).map((step) => addHeading(step, heading)))
  }
  return steps
}

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
  const {name, title, correctionHint = '', createNodes} = list
  return {
    name,
    label: title,
    section: title,
    correctionNote: `The ${lowerFirst(title)} are sent as one list that replaces the earlier one: enter all of them again${correctionHint}.`,
    steps: (answers) =>
      buildListSteps(answers, list, (path) =>
        buildItem ? buildItem(answers, path) : buildQuestions(listFields(createNodes(path)), answers.body),
      ),
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
