// Runs a wizard: asks its steps in order, records each answer and removes the values that it makes obsolete, and goes back or stops
// on request.
import {isDeepStrictEqual} from 'node:util'
import {interrupted} from '../../errors.ts'
import {askStep, isAnswered} from './ask-step.ts'
import {getValue, withValue, withoutValue} from '../../values/body-paths.ts'
import {GoBack, isInterruption} from '../prompts/ask.ts'
import {printHeading, printText} from './print.ts'
import {
  type Answers,
  AskAgain,
  type Checklist,
  type Copy,
  type Count,
  type Fork,
  type Question,
  type Step,
  getCopyFork,
  getStepKey,
  isChecklist,
  isCopy,
  isCount,
  isFork,
  isQuestion,
  listStepPaths,
} from './steps.ts'
import type {Wizard} from './wizard.ts'

// Asks one step and returns the answers with it.
export async function answerStep(step: Step, answers: Answers, wizard: Wizard): Promise<Answers> {
  return recordStep(step, await askStep(step, answers, wizard), answers, wizard)
}

function recordStep(step: Step, value: unknown, answers: Answers, wizard: Wizard): Answers | Promise<Answers> {
  if (isQuestion(step)) return recordAnswer(step, value, answers, wizard)
  if (isFork(step)) return recordForkAnswer(step, value === true, answers, wizard)
  if (isChecklist(step)) return recordChecklist(step, Array.isArray(value) ? value : [], answers, wizard)
  if (isCount(step)) return recordCount(step, Number(value), answers, wizard)
  return recordCopy(step, typeof value === 'string' ? value : undefined, answers)
}

// The question that was asked before the one at the index.
function findPrevious(steps: readonly Step[], index: number): number {
  const previous = steps.findLastIndex(({isSettled}, at) => at < index && !isSettled)
  return Math.max(0, previous)
}

// Returns the index of the next step. An answer may also add questions before its own, such as the middle name: these are
// next, and what was asked between them is skipped.
function continueAfter(index: number, before: readonly Step[], after: readonly Step[], skipped: Set<string>): number {
  const keys = after.map(getStepKey)
  const keysBefore = new Set(before.map(getStepKey))
  const asked = before[index]
  const current = asked ? keys.indexOf(getStepKey(asked)) : -1
  if (current === -1) return index + 1
  const earlier = keys.slice(0, current + 1)
  const added = earlier.findIndex((key) => !keysBefore.has(key))
  if (added === -1) return current + 1
  for (const key of earlier) if (keysBefore.has(key)) skipped.add(key)
  return added
}

// Returns the keys of the steps that flags, a file or a draft have answered with a valid value.
export async function findAnsweredSteps(answers: Answers, wizard: Wizard): Promise<Set<string>> {
  const steps = wizard.steps(answers)
  const areAnswered = await Promise.all(steps.map((step) => isAnswered(step, answers, wizard)))
  return new Set(steps.filter((_, index) => areAnswered[index]).map(getStepKey))
}

// Asks all steps except the skipped ones, which by default are those with a valid answer. Going back also reaches these.
// Throws an `interrupted` error if the user quits.
export async function runWizard(start: Answers, wizard: Wizard, skip?: ReadonlySet<string>): Promise<Answers> {
  let answers = start
  const skipped = new Set(skip ?? (await findAnsweredSteps(start, wizard)))
  const revisited = new Set<string>()
  let heading: string | undefined
  for (let index = 0; ;) {
    const steps = wizard.steps(answers)
    const step = steps[index]
    if (!step) return answers
    const key = getStepKey(step)
    if (skipped.has(key) || (step.isSettled && !revisited.has(key))) {
      index++
      continue
    }
    wizard.draft?.save(answers, key)
    if (step.heading !== undefined && step.heading !== heading) await printHeading(step.heading)
    heading = step.heading
    try {
      answers = await answerStep(step, answers, wizard)
      // After the removal of a list item the next one has the same path, so the same step is asked again.
      const isAskedAgain = isFork(step) && answers.forks[step.fork] === undefined
      if (!isAskedAgain) index = continueAfter(index, steps, wizard.steps(answers), skipped)
    } catch (error) {
      const direction = handleLeaving(error, wizard)
      if (direction === 'back') index = findPrevious(steps, index)
      const next = steps[index]
      if (!next) continue
      // The line of the earlier answer stays on the screen.
      if (next !== step) printText(`  “${next.label}” is taken back and asked again.`)
      skipped.delete(getStepKey(next))
      revisited.add(getStepKey(next))
    }
  }
}

// Repeats a prompt that belongs to the wizard but to no step, until it is answered.
export async function askUntilAnswered<T>(prompt: () => Promise<T>, wizard: Pick<Wizard, 'draft'>): Promise<T> {
  for (;;) {
    try {
      return await prompt()
    } catch (error) {
      handleLeaving(error, wizard)
    }
  }
}

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
  const copies = steps(before)
    .filter(isCopy)
    .filter(({copy}) => before.forks[getCopyFork(copy)] === true)
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

function recordForkAnswer({fork}: Fork, isYes: boolean, answers: Answers, wizard: Wizard): Answers {
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
function recordChecklist(
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
function recordCount({count: list}: Count, count: number, answers: Answers, wizard: Wizard): Answers {
  const forks = keepForksBefore(answers.forks, list, count)
  for (let index = 0; index <= count; index++) forks[`${list}[${index}]`] = index < count
  const items: unknown = getValue(answers.body, list)
  const hasSurplus = Array.isArray(items) && items.length > count
  const body = hasSurplus ? withValue(answers.body, list, items.slice(0, count)) : answers.body
  return removeOrphans(answers, {body: count === 0 ? withoutValue(body, list) : body, forks}, wizard)
}

// `source` is the path of the value that is taken over; undefined asks for another.
function recordCopy({copy}: Copy, source: string | undefined, answers: Answers): Answers {
  const fork = getCopyFork(copy)
  const forks = {...answers.forks, [fork]: source !== undefined}
  if (source !== undefined) return {forks, body: withValue(answers.body, copy, getValue(answers.body, source))}
  return {forks, body: answers.forks[fork] === true ? withoutValue(answers.body, copy) : answers.body}
}

// Says where a wizard continues whose question was left instead of answered: at the previous step or at the same one. Ctrl-C ends it.
export function handleLeaving(error: unknown, wizard: Pick<Wizard, 'draft'>): 'back' | 'stay' {
  if (error instanceof GoBack) return 'back'
  if (isInterruption(error)) return leaveWizard(wizard)
  if (!(error instanceof AskAgain)) throw error
  printText(error.message)
  return 'stay'
}

// Ends the wizard. The answers stay where they are kept.
export function leaveWizard({draft}: Pick<Wizard, 'draft'>): never {
  const hint = draft?.describe()
  if (hint !== undefined) printText(hint)
  throw interrupted()
}

// What was skipped before the question that was left is not asked again; that question is. Without one, nothing is asked.
export async function findStepsBefore(start: Answers, at: string | undefined, wizard: Wizard): Promise<Set<string>> {
  const answered = await findAnsweredSteps(start, wizard)
  const steps = wizard.steps(start)
  const left = at === undefined ? steps.length : steps.findIndex((step) => getStepKey(step) === at)
  for (const step of steps.slice(0, Math.max(0, left))) {
    if (!isQuestion(step) || !step.isRequired) answered.add(getStepKey(step))
  }
  if (at !== undefined) answered.delete(at)
  return answered
}
