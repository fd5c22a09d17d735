// A sample document: a file that passes every check, and a word that stands for it in the wizards of the sandbox.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {findDocumentProblem} from '../../../src/customers/documents.ts'
import {freshHome, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {answer, choose} from '../../support/wizard-keys.ts'

describe('svc sandbox document', () => {
  it('writes a picture that verification accepts, and no file twice', async () => {
    const home = freshHome()
    const written = await run(home, ['sandbox', 'document', '--json'])
    expect(written.code).toBe(0)
    const file = path.join(home.folder, 'passport.png')
    expect(JSON.parse(written.out)).toEqual({file: 'passport.png', bytes: fs.statSync(file).size})
    expect(await findDocumentProblem(file)).toBeUndefined()
    const again = await run(home, ['sandbox', 'document'])
    expect([again.code, again.out]).toEqual([2, ''])
    expect(again.err).toContain('There is already a file passport.png')
    expect(fs.readdirSync(home.folder)).toContain('passport.png')
  })
})

const mateo = 'mateo.q@example.com'

describe('the word sample', () => {
  it('is a document in a correction on the sandbox, which verification accepts', async () => {
    const home = freshHome()
    const screen = onTerminal(home, ['customers', 'fix', mateo, '-p', 'sandbox'])
    await answer(screen, 'How many documents?')
    await answer(screen, 'Kind of document')
    await answer(screen, 'Which document')
    await choose(screen, 'Country that issued it', 'Argentina', 'Argentina')
    await answer(screen, 'Number on the document', 'AAC123456')
    await answer(screen, 'Issued on', '2023-05-06')
    await answer(screen, 'Valid until', '2033-05-05')
    await answer(screen, 'Image of the front', 'sample')
    await answer(screen, 'Notes about the document')
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    await run(home, ['sandbox', 'clock', 'until-idle'])
    const after = await run(home, ['customers', 'get', mateo, '-p', 'sandbox', '--jq', '.customerStatus'])
    expect(after.out.trim()).toBe('ACTIVE')
  })
})
