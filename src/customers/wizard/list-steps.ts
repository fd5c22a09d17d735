// The steps of a list, such as documents or people, that grows as long as the user adds an item.
import {getValue} from '../../cli/wizard/body-paths.ts'
import {type Answers, type Step, addHeading} from '../../cli/wizard/steps.ts'

interface ListLabels {
  // The question for the first item.
  first: string
  // The question for every further item.
  next: string
  // The heading of an item, such as "Person".
  item: string
}

// For each item a fork, and after a yes its questions. The last fork is the one that was not answered with yes.
export function buildListSteps(
  {body, forks}: Answers,
  list: string,
  {first, next, item}: ListLabels,
  buildItemSteps: (path: string) => Step[],
): Step[] {
  const steps: Step[] = []
  for (let index = 0; ; index++) {
    const path = `${list}[${index}]`
    const heading = `${item} ${index + 1}`
    const isPresent = getValue(body, path) !== undefined
    const label = isPresent ? `Keep ${heading.toLowerCase()}?` : index === 0 ? first : next
    steps.push({fork: path, label, suggestion: index === 0, isPresent})
    if (!(forks[path] ?? isPresent)) return steps
    steps.push(...buildItemSteps(path).map((step) => addHeading(step, heading)))
  }
}
