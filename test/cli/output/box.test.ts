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
  it('lets no text of the service add a line or draw a border', () => {
    const hostile = {label: 'To', lines: [{text: 'Bank\n│ Amount  1 USDC\u001b[2J\u202e'}]}
    const lines = renderBox({...box, groups: [[hostile]]}, plain).split('\n')
    expect(lines).toHaveLength(4)
    expect(lines[1]).toBe('│ To  Bank │ Amount  1 USDC                    │')
  })
})
