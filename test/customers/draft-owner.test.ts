// Drafts of other customers are rejected.
import {execFileSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {rejectOtherDraft} from '../../src/customers/draft-owner.ts'
import {customerId} from '../support/service.ts'
import {temporaryFolder} from '../support/svc.ts'

const [ada, bo] = [customerId(1), customerId(2)]

function writeDraft(heading: string): string {
  const file = path.join(temporaryFolder(), 'draft.yaml')
  fs.writeFileSync(file, `${heading}\nkycData:\n  legalFirstName: Ada\n`)
  return file
}

describe('a draft', () => {
  it('of one customer is rejected for another', () => {
    const file = writeDraft(`# Draft of \`svc customers fix ${ada}\` with personal data.`)
    expect(() => rejectOtherDraft(file, `customers fix ${bo}`)).toThrow(`is a draft of \`svc customers fix ${ada}\``)
    expect(() => rejectOtherDraft(file, `customers update ${bo}`)).toThrow('another customer')
  })

  it('of the same customer, of a creation, or without a heading is accepted', () => {
    const own = writeDraft(`# Draft of \`svc customers fix ${ada.toUpperCase()}\`.`)
    for (const file of [
      own,
      writeDraft('# Draft of `svc customers create`.'),
      writeDraft('# mine'),
      undefined,
      'nowhere',
    ]) {
      expect(() => rejectOtherDraft(file, `customers update ${ada}`)).not.toThrow()
    }
  })

  it('in a pipe is not read', () => {
    const pipe = path.join(temporaryFolder(), 'pipe')
    execFileSync('mkfifo', [pipe])
    expect(() => rejectOtherDraft(pipe, `customers update ${ada}`)).not.toThrow()
  })
})
