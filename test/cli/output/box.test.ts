// The box that a person reads before they confirm: its borders, its width, and what comes from the service.
import {describe, expect, it} from 'vitest'
import {type Box, renderBox} from '../../../src/cli/output/box.ts'

const painter = {dim: String, bold: String, alarm: String, status: String}
const plain = {width: 48, painter}

const box: Box = {
  title: 'Pay in the sandbox',
  isLive: false,
  groups: [
    [
      {
        label: 'To',
        lines: [
          {text: 'Example Bank ****6789, USD by ACH', tone: 'bold'},
          {text: 'b…1', tone: 'dim'},
        ],
      },
    ],
    [],
    [
      {label: 'Amount', lines: [{text: '100.00 USDC'}]},
      {label: 'Fee', lines: [{text: '  1.25 USDC'}]},
    ],
  ],
}

describe('a box', () => {
  it('has a title, labels and groups, and keeps its width', () => {
    expect(renderBox(box, plain).split('\n')).toEqual([
      '┌─ Pay in the sandbox ─────────────────────────┐',
      '│ To      Example Bank ****6789, USD by ACH    │',
      '│         b…1                                  │',
      '│                                              │',
      '│ Amount  100.00 USDC                          │',
      '│ Fee       1.25 USDC                          │',
      '└──────────────────────────────────────────────┘',
      '',
    ])
  })

  it('wraps between words on a narrow terminal, and keeps its width', () => {
    const lines = renderBox(box, {...plain, width: 30})
      .split('\n')
      .slice(0, -1)
    expect(lines.slice(1, 3)).toEqual(['│ To      Example Bank       │', '│         ****6789, USD by   │'])
    expect(lines.every((line) => line.length === 30)).toBe(true)
  })

  it('lets no text of the service add a line or draw a border', () => {
    const hostile = {label: 'To', lines: [{text: 'Bank\n│ Amount  1 USDC\u001b[2J\u202e'}]}
    const lines = renderBox({...box, groups: [[hostile]]}, plain).split('\n')
    expect(lines).toHaveLength(4)
    expect(lines[1]).toBe('│ To  Bank │ Amount  1 USDC                    │')
  })
})
