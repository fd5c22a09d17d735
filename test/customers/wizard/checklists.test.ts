// Every number of every checklist: it ticks its own item, which opens its own questions and nothing else.
import {PassThrough, Writable} from 'node:stream'
import {describe, expect, it, vi} from 'vitest'
import {openDrafts} from '../../../src/cli/wizard/drafts.ts'
import {askStep} from '../../../src/cli/wizard/ask-step.ts'
import {getValue} from '../../../src/values/body-paths.ts'
import {recordChecklist} from '../../../src/cli/wizard/run-wizard.ts'
import {type Answers, type Step, getStepKey, isChecklist, isFork, isQuestion} from '../../../src/cli/wizard/steps.ts'
import type {Wizard} from '../../../src/cli/wizard/wizard.ts'
import {buildWholeKybSteps} from '../../../src/customers/wizard/creation-steps.ts'
import {buildOwnerSteps, buildWholeKycSteps} from '../../../src/customers/wizard/whole-submission.ts'

const owner = 'kybData.associatedPersons[0]'

const builders: Readonly<Record<string, (answers: Answers) => Step[]>> = {
  'What applies to the customer?': (answers) => buildWholeKycSteps(answers),
  'What applies to the business?': (answers) => buildWholeKybSteps(answers),
  'What applies to this person?': (answers) => buildOwnerSteps(answers, owner),
}

const start = (): Answers => ({body: {}, forks: {}})

const toWizard = (steps: Wizard['steps']): Wizard => ({steps, validate: () => [], drafts: openDrafts(undefined, 'test', '-f')})

function openChecklist(label: string) {
  const steps = builders[label] ?? (() => [])
  const checklist = steps(start()).find(isChecklist)
  if (!checklist) throw new Error(`There is no checklist "${label}"`)
  return {checklist, wizard: toWizard(steps)}
}

// Answers the prompt of a step by keys, each after the text that it waits for.
async function answerByKeys(step: Step, wizard: Wizard, keys: readonly (readonly [after: string, typed: string])[]) {
  let drawn = ''
  const input = new PassThrough()
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      drawn += chunk.toString()
      done()
    },
  })
  const streams = [vi.spyOn(process, 'stdin', 'get'), vi.spyOn(process, 'stderr', 'get')]
  streams[0]?.mockReturnValue(input as never)
  streams[1]?.mockReturnValue(Object.assign(output, {columns: 200}) as never)
  try {
    const answer = askStep(step, start(), wizard)
    for (const [after, typed] of keys) {
      await vi.waitFor(() => expect(drawn).toContain(after), {interval: 2, timeout: 120_000})
      input.write(typed)
    }
    return await answer
  } finally {
    for (const stream of streams) stream.mockRestore()
  }
}

// What is asked, apart from what an answer only settles.
const listOpenKeys = (steps: readonly Step[]) =>
  steps
    .filter((step) => isQuestion(step) || isFork(step))
    .map((step) => `${getStepKey(step)} ${step.isSettled === true}`)

const items = Object.keys(builders).flatMap((label) =>
  openChecklist(label).checklist.items.map(({name}, index) => ({label, number: index + 1, name})),
)

describe('a number of a checklist', () => {
  it('is that of 35 items, each with a name and an answer of its own', () => {
    expect(items).toHaveLength(35)
    for (const label of Object.keys(builders)) {
      const all = openChecklist(label).checklist.items
      const targets = all.map(({fact, fork}) => fact ?? fork)
      expect([label, new Set(targets).size, new Set(all.map(({name}) => name)).size]).toEqual([
        label,
        all.length,
        all.length,
      ])
      expect(targets).not.toContain(undefined)
    }
  })

  it.each(items)('$label $number ticks "$name", and nothing else', async ({label, number, name}) => {
    const {checklist, wizard} = openChecklist(label)
    // Only a number that could begin a longer one needs to be ended.
    const canGrow = number * 10 <= checklist.items.length
    const selected = await answerByKeys(checklist, wizard, [
      ['A number or Space selects, a word finds', String(number)],
      ...(canGrow ? [[`Space selects ${number}, “${name}”`, ' '] as const] : []),
      [`[x] ${number}. ${name}`, '\r'],
    ])
    expect(selected).toEqual([name])

    const before = recordChecklist(checklist, [], start(), wizard)
    const after = recordChecklist(checklist, selected as string[], start(), wizard)
    for (const {fact, fork = '', isNegated = false, name: each} of checklist.items) {
      const isTicked = each === name
      if (fact === undefined) expect([each, after.forks[fork]]).toEqual([each, isTicked !== isNegated])
      else expect([each, getValue(after.body, fact)]).toEqual([each, isTicked])
    }
    const {fact} = checklist.items[number - 1] ?? {}
    const [asked, askedBefore] = [listOpenKeys(wizard.steps(after)), listOpenKeys(wizard.steps(before))]
    // A fact is answered by the tick itself. Everything else opens questions, or leaves out those of a part.
    if (fact === undefined) expect(asked).not.toEqual(askedBefore)
    else expect(asked.filter((key) => key.startsWith(`${fact} `))).toEqual([])
  })
})
