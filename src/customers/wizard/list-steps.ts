// The steps of a list, such as documents or people, that grows as long as the user adds an item.
import {getValue} from '../../values/body-paths.ts'
import {type Answers, type Fork, type Step, addHeading, isFork} from '../../cli/wizard/steps.ts'

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
export function buildListSteps(
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
export function buildCountedListSteps(
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
