// Errors and notices wrap between words on a terminal, and what is to be copied stays in one piece.
import stringWidth from 'string-width'
import {afterEach, describe, expect, it} from 'vitest'
import {wrapMessage} from '../../../src/cli/output/streams.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {suggestProfile, svc} from '../../../src/values/text.ts'

const id = '7b0c9a52-3f64-4a6e-9d57-2f1f3b1c8e11'

describe('a suggested command', () => {
  afterEach(() => suggestProfile(undefined))

  it('has its values quoted, and names the profile that was named for this one', () => {
    const suggest = () => svc`pay --key ${"Zoë's rent"} -f ${['rent.yaml', 'x']}`
    expect(suggest()).toBe("`svc pay --key 'Zoë'\\''s rent' -f rent.yaml x`")
    suggestProfile('acme')
    expect(suggest()).toMatch(/ -f rent\.yaml x -p acme`$/)
  })

  it('names it in a pipe and in JSON, too', async () => {
    const lost = ['customers', 'get', 'nothing-like-an-id', '-p', 'sandbox']
    const {err} = await run(freshHome(), lost)
    expect(err).toMatch(/`svc [^`]+ -p sandbox`/)
    expect(json((await run(freshHome(), [...lost, '--json'])).err)['hint']).toMatch(/`svc [^`]+ -p sandbox`/)
  })
})

describe('a message', () => {
  it.each([20, 40, 60, 80, 120])('fits %i columns, except for words that do not, and loses nothing', (width) => {
    const text = `The customer ${id} is not known at https://api.example.com/customers/${id}: 東京本社 says so. Try again later.`
    const wrapped = wrapMessage(text, width)
    expect(wrapped.replaceAll('\n', ' ')).toBe(text)
    for (const line of wrapped.split('\n')) expect(stringWidth(line) <= width || !line.includes(' ')).toBe(true)
  })

  it('keeps a command in one piece', () => {
    const command = `\`svc customers watch ${id} --timeout 5m\``
    expect(wrapMessage(`Continue with ${command}, or later.`, 30).split('\n')).toContain(`${command},`)
  })

  it('keeps its indentation, and the layout of what fits', () => {
    expect(wrapMessage('  a problem with words', 12)).toBe('  a problem\n  with words')
    expect(wrapMessage('- a problem with words', 12)).toBe('- a problem\n  with words')
    expect(wrapMessage('KEY    value', 12)).toBe('KEY    value')
    expect(wrapMessage('a b c', undefined)).toBe('a b c')
  })
})

it('An error fits a terminal, and is one line in a pipe', async () => {
  const [cols, args] = [60, ['customers', 'list', '--columns', 'shoeSize']]
  const screen = onTerminal(freshHome(), args, {cols})
  expect(await screen.ended).toBe(2)
  for (const line of screen.text().split('\n')) expect(line.length).toBeLessThanOrEqual(cols)
  expect(screen.words()).toMatch(/^svc: There is no column "shoeSize" for customers\. Known columns are id, status, /)
  expect((await run(freshHome(), args)).err.trimEnd().split('\n')).toHaveLength(1)
})
