// Repeats the session in docs/kyc.md. Every line of it must appear, in order.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {png} from '../values/images.ts'
import {keys} from '../support/wizard-keys.ts'
import {type Keys, answerByTable, searchAndSelect} from '../support/wizard-answers.ts'
import {freshHome, root} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'

const kilobyte = 1024
const {enter} = keys

const answers: Readonly<Record<string, Keys>> = {
  'Which customer?': enter,
  Country: searchAndSelect('France'),
  'Street and number': `12 rue des Lilas${enter}`,
  'Flat, floor or building': enter,
  City: `Lyon${enter}`,
  'State, region or province': enter,
  'Postal code': `69001${enter}`,
  'How many documents?': enter,
  'Kind of document': enter,
  'Which document': enter,
  'Country that issued it': searchAndSelect('France'),
  'Number on the document': `12AB34567${enter}`,
  'Issued on': `2023-05-06${enter}`,
  'Valid until': `2033-05-05${enter}`,
  'Image of the front': `passport.png${enter}`,
  'Notes about the document': enter,
  'What now?': enter,
  'Sent. Wait for the outcome?': enter,
}

function readRecording(): {command: string; lines: string[]} {
  const page = fs.readFileSync(path.join(root, 'docs/kyc.md'), 'utf8')
  const [, block = ''] = /```text\n([\s\S]*?)```/.exec(page) ?? []
  const [command = '', ...lines] = block.trimEnd().split('\n')
  return {command, lines: lines.filter((line) => line !== '')}
}

// In the recording, … matches anything.
const toPattern = (line: string) =>
  new RegExp(
    line
      .split('…')
      .map((part) => RegExp.escape(part))
      .join('.*'),
    'g',
  )

// Returns the first line that does not follow those before it.
function findMissingLine(lines: readonly string[], text: string): string | undefined {
  let from = 0
  return lines.find((line) => {
    const pattern = toPattern(line)
    pattern.lastIndex = from
    const found = pattern.exec(text)
    if (found) from = found.index + found[0].length
    return !found
  })
}

describe('docs/kyc.md', () => {
  it('shows a correction exactly as the terminal does', async () => {
    const {command, lines} = readRecording()
    expect(lines.length).toBeGreaterThan(40)
    const home = freshHome()
    fs.writeFileSync(path.join(home.folder, 'passport.png'), png({bytes: 101 * kilobyte}))
    const screen = onTerminal(home, command.split(' ').slice(2))
    expect(await answerByTable(screen, answers)).toMatchObject({code: 0})
    expect(findMissingLine(lines, screen.text()), screen.text()).toBeUndefined()
  })
})
