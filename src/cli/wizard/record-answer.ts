// Records the answer to a step, and removes the values that it makes obsolete.
import {isDeepStrictEqual} from 'node:util'
import {getValue, withValue, withoutValue} from './body-paths.ts'
import {
  type Answers,
  type Checklist,
  type Copy,
  type Count,
  type Fork,
  type Question,
  getCopyFork,
  isCopy,
  listStepPaths,
} from './steps.ts'
import type {Wizard} from './wizard.ts'

// Removes the values of steps that are no longer asked. The last comes first, so that list indexes stay valid.
function removeOrphans(before: Answers, after: Answers, {steps}: Wizard): Answers {
  const remaining = new Set(steps(after).flatMap(listStepPaths))
  const orphans = steps(before)
    .flatMap(listStepPaths)
    .filter((path) => !remaining.has(path))
  return {...after, body: orphans.toReversed().reduce(withoutValue, after.body)}
}

// A value that was copied follows its source until it is changed itself.
function updateCopies(before: Answers, after: Answers, {steps}: Wizard): Answers {
  const copies = steps(before).filter((step) => isCopy(step) && before.forks[getCopyFork(step.copy)] === true) as Copy[]
  const body = copies.reduce((whole, {copy, sources}) => {
    const value = getValue(before.body, copy)
    const source = sources.find(({path}) => path !== copy && isDeepStrictEqual(getValue(before.body, path), value))
    const isOwnChange = !isDeepStrictEqual(getValue(after.body, copy), value)
    const next = source && getValue(after.body, source.path)
    return next === undefined || isOwnChange ? whole : withValue(whole, copy, next)
  }, after.body)
  return {...after, body}
}

// Stores the value in the body; undefined means that the question was skipped.
export async function recordAnswer(
  question: Question,
  value: unknown,
  answers: Answers,
  wizard: Wizard,
): Promise<Answers> {
  const {path, clears = [], afterAnswer} = question
  const stored = value === undefined ? withoutValue(answers.body, path) : withValue(answers.body, path, value)
  const isUnchanged = isDeepStrictEqual(getValue(answers.body, path), value)
  const body = isUnchanged ? stored : clears.reduce(withoutValue, stored)
  const next = updateCopies(answers, removeOrphans(answers, {...answers, body}, wizard), wizard)
  return afterAnswer ? {...next, body: await afterAnswer(next.body, answers.body)} : next
}

const listItemPath = /^(.*)\[(\d+)\]$/

// Drops the forks of a list from an index on: they belong to items that have moved.
function keepForksBefore(forks: Answers['forks'], list: string, index: number): Answers['forks'] {
  const isBefore = (fork: string) => {
    if (!fork.startsWith(`${list}[`)) return true
    return Number.parseInt(fork.slice(list.length + 1), 10) < index
  }
  return Object.fromEntries(Object.entries(forks).filter(([fork]) => isBefore(fork)))
}

export function recordForkAnswer({fork}: Fork, isYes: boolean, answers: Answers, wizard: Wizard): Answers {
  if (isYes) return {...answers, forks: {...answers.forks, [fork]: true}}
  const body = withoutValue(answers.body, fork)
  const [, list, index] = listItemPath.exec(fork) ?? []
  // The next item of the list has moved to this path. The fork stays open, so that it is asked about that item.
  if (list !== undefined && getValue(body, fork) !== undefined) {
    return {body, forks: keepForksBefore(answers.forks, list, Number(index))}
  }
  return removeOrphans(answers, {body, forks: {...answers.forks, [fork]: false}}, wizard)
}

// `selected` are the items that apply. All other facts are false, not absent.
export function recordChecklist(
  {checklist, items}: Checklist,
  selected: readonly unknown[],
  answers: Answers,
  wizard: Wizard,
): Answers {
  const next: Answers = {body: answers.body, forks: {...answers.forks, [checklist]: true}}
  for (const item of items) {
    const isSelected = selected.includes(item.name)
    if (item.fact !== undefined) next.body = withValue(next.body, item.fact, isSelected)
    else if (item.fork !== undefined) next.forks[item.fork] = isSelected !== (item.isNegated ?? false)
  }
  return removeOrphans(answers, next, wizard)
}

// Opens as many items as were counted, and closes the next one.
export function recordCount({count: list}: Count, count: number, answers: Answers, wizard: Wizard): Answers {
  const forks = keepForksBefore(answers.forks, list, count)
  for (let index = 0; index <= count; index++) forks[`${list}[${index}]`] = index < count
  const items = getValue(answers.body, list)
  const surplus = Array.isArray(items) ? items.length - count : 0
  const body = surplus > 0 ? withValue(answers.body, list, (items as unknown[]).slice(0, count)) : answers.body
  return removeOrphans(answers, {body: count === 0 ? withoutValue(body, list) : body, forks}, wizard)
}

// `source` is the path of the value that is taken over; undefined asks for another.
export function recordCopy({copy}: Copy, source: string | undefined, answers: Answers): Answers {
  const fork = getCopyFork(copy)
  const forks = {...answers.forks, [fork]: source !== undefined}
  if (source !== undefined) return {forks, body: withValue(answers.body, copy, getValue(answers.body, source))}
  return {forks, body: answers.forks[fork] === true ? withoutValue(answers.body, copy) : answers.body}
}
