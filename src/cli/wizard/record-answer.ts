// Records the answer to a step, and removes the values that it makes obsolete.
import {isDeepStrictEqual} from 'node:util'
import {getValue, withValue, withoutValue} from './body-paths.ts'
import {type Answers, type Fork, type Question, getStepKey} from './steps.ts'
import type {Wizard} from './wizard.ts'

// Removes the values of steps that are no longer asked. The last comes first, so that list indexes stay valid.
function removeOrphans(before: Answers, after: Answers, {steps}: Wizard): Answers {
  const remaining = new Set(steps(after).map(getStepKey))
  const orphans = steps(before)
    .map(getStepKey)
    .filter((key) => !remaining.has(key))
  return {...after, body: orphans.toReversed().reduce(withoutValue, after.body)}
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
  const next = removeOrphans(answers, {...answers, body}, wizard)
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
