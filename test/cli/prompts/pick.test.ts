// The list prompt, driven by keys: typing filters, and Enter takes what is highlighted and nothing else.
import {PassThrough} from 'node:stream'
import {setImmediate} from 'node:timers/promises'
import {stripVTControlCharacters} from 'node:util'
import {describe, expect, it} from 'vitest'
import {type FindChoices, pickPrompt} from '../../../src/cli/prompts/pick-prompt.ts'
import type {Choice} from '../../../src/cli/wizard/choices.ts'
import {keys} from '../../support/wizard-keys.ts'

const accounts: Array<Choice<string>> = [
  {name: 'Wallet 0x12ab…9f3c · USDC on BASE', value: 'w1', group: 'Fits the route'},
  {name: 'Example Bank ****6789 · USD by ACH', value: 'b1', group: 'Fits the route', short: 'Example Bank'},
  {name: 'Sahyadri Co-operative Bank ****2223 · INR', value: 'b2', group: 'Other accounts', keywords: ['Zoë Ångström']},
  {name: 'Pending Bank', value: '', group: 'Other accounts', disabled: '(pending)'},
]

// Starts the prompt on streams of its own. `press` resolves when the keys are drawn.
async function open(
  source: ReadonlyArray<Choice<string>> | FindChoices<string> = accounts,
  initial?: string,
  hasNoDefault = false,
) {
  const input = new PassThrough()
  let frame = ''
  const output = new PassThrough()
  // What only moves the cursor leaves the frame as it is.
  output.on('data', (chunk: Buffer) => (frame = stripVTControlCharacters(chunk.toString()) || frame))
  let answer: unknown
  const ended = pickPrompt({message: 'Which account?', source, initial, hasNoDefault}, {input, output}).then(
    (value) => (answer = value),
  )
  const press = async (text: string) => {
    input.write(text)
    await setImmediate()
    await setImmediate()
  }
  await press('')
  const lines = () => frame.split('\n').map((line) => line.trimEnd())
  return {press, lines, ended, getAnswer: () => answer, highlighted: () => lines().find((line) => line.startsWith('❯'))}
}

describe('a picker without a default', () => {
  it('takes nothing by Enter alone, and what is typed, moved to or given before', async () => {
    const {press, lines, highlighted, getAnswer, ended} = await open(accounts, undefined, true)
    expect(highlighted()).toBeUndefined()
    await press(keys.enter)
    expect(getAnswer()).toBeUndefined()
    expect(lines().at(-1)).toBe('> Type to choose')
    await press(keys.down)
    expect(highlighted()).toBe('❯ Wallet 0x12ab…9f3c · USDC on BASE')
    await press('2223')
    expect(highlighted()).toBe('❯ Sahyadri Co-operative Bank ****2223 · INR')
    await press(keys.enter)
    expect(await ended).toBe('b2')
    expect((await open(accounts, 'b1', true)).highlighted()).toBe('❯ Example Bank ****6789 · USD by ACH')
  })
})

describe('a picker', () => {
  it('says that typing filters, and lists what fits first, under its heading', async () => {
    const {lines, press, ended} = await open()
    expect(lines()).toEqual([
      '? Which account? (type to filter)',
      '  Fits the route',
      '❯ Wallet 0x12ab…9f3c · USDC on BASE',
      '  Example Bank ****6789 · USD by ACH',
      '  Other accounts',
      '  Sahyadri Co-operative Bank ****2223 · INR',
      '- Pending Bank (pending)',
      '↑↓ moves, Enter chooses',
    ])
    await press(keys.enter)
    expect(await ended).toBe('w1')
  })

  it.each([
    ['the last digits', '2223', 'b2'],
    ['several words in any order', 'usd bank', 'b1'],
    ['a name without its accents', 'angstrom', 'b2'],
    ['an arrow to the second match', `bank${keys.down}`, 'b2'],
    ['another term after an arrow', `bank${keys.down}${keys.clear}base`, 'w1'],
  ])('takes what %s highlights, also if Enter comes at once', async (_, typed, value) => {
    const {press, ended} = await open()
    await press(typed + keys.enter)
    expect(await ended).toBe(value)
  })

  it('keeps the filter when the highlight moves, and goes on from it', async () => {
    const {press, lines, highlighted, ended} = await open()
    await press('bank')
    await press(keys.down)
    expect(lines()[0]).toBe('? Which account? bank')
    expect(highlighted()).toContain('Sahyadri')
    await press(' usd')
    expect(lines()[0]).toBe('? Which account? bank usd')
    expect(highlighted()).toContain('Example Bank')
    expect(lines().at(-1)).toBe('↑↓ moves, Enter chooses; 1 of 4 match')
    await press(keys.enter)
    expect(await ended).toBe('b1')
  })

  it('takes nothing where nothing matches or the only match cannot be chosen', async () => {
    const {press, lines, getAnswer, ended} = await open()
    await press(`lagos${keys.enter}`)
    expect(lines()).toEqual(['? Which account? lagos', '> Nothing matches; Ctrl-U clears what was typed'])
    await press(`${keys.clear}pending${keys.enter}`)
    expect(lines()).toEqual(['? Which account? pending', '- Pending Bank (pending)', '> This one cannot be chosen'])
    expect(getAnswer()).toBeUndefined()
    await press(keys.clear + keys.enter)
    expect(await ended).toBe('w1')
  })

  it('starts at the present answer', async () => {
    const {highlighted, press, ended} = await open(accounts, 'b2')
    expect(highlighted()).toContain('Sahyadri')
    await press(keys.enter)
    expect(await ended).toBe('b2')
  })

  it('highlights nothing and takes nothing while a search is under way', async () => {
    const waiting: Array<() => void> = []
    const find = async (term: string) => {
      if (term !== '') await new Promise<void>((resolve) => waiting.push(resolve))
      return accounts.filter(({name}) => name.includes(term))
    }
    const {press, lines, highlighted, getAnswer, ended} = await open(find)
    expect(highlighted()).toContain('Wallet')
    await press(`INR${keys.enter}`)
    expect(highlighted()).toBeUndefined()
    expect(lines().at(-1)).toBe('> Still searching')
    expect(getAnswer()).toBeUndefined()
    for (const resolve of waiting) resolve()
    await press('')
    expect(highlighted()).toContain('Sahyadri')
    await press(keys.enter)
    expect(await ended).toBe('b2')
  })
})
