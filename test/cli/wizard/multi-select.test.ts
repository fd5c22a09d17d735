// A list with several answers: numbers are collected, searches are never taken for answers, nothing selected is hidden.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {keys, waitForText} from '../../support/wizard-keys.ts'
import {customer, reply, serve} from '../../support/service.ts'
import {freshHome} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'

async function openChecklist() {
  const {env} = await serve((_, response) => reply(response, 200, customer(1)))
  const home = freshHome()
  const body = {customerType: 'BUSINESS', email: 'ada@example.com', kybData: {businessInfo: {legalBusinessName: 'Ada'}}}
  fs.writeFileSync(path.join(home.folder, 'start.json'), JSON.stringify(body))
  const screen = onTerminal(home, ['customers', 'create', '-f', 'start.json', '--save', 'draft.yaml'], {env})
  await waitForText(screen, '? What applies to the business?')
  await waitForText(screen, 'Space selects, a number or a word finds, Enter continues')
  return screen
}

describe('a checklist', () => {
  it('takes a number of two digits as one number', async () => {
    const screen = await openChecklist()
    screen.type('14')
    await waitForText(screen, '❯ [ ] 14. has more than one document')
    await waitForText(screen, 'Space or Enter selects 14, “has more than one document”')
    screen.type(' ')
    await waitForText(screen, '❯ [x] 14. has more than one document')
    screen.type(`17${keys.enter}`)
    await waitForText(screen, '> There is no number 17; Ctrl-U clears it')
    screen.type(`${keys.clear}16${keys.enter}`)
    await waitForText(screen, '❯ [x] 16. has notes on a document')
    screen.type(keys.enter)
    await waitForText(screen, '✔ What applies to the business? has more than one document; has notes on a document')
    screen.type(keys.stop)
    expect(await screen.ended).toBe(130)
  })

  it('never takes a search for an answer, and tells what is selected behind it', async () => {
    const screen = await openChecklist()
    screen.type('5 dao')
    await waitForText(screen, '❯ [ ] 4. is a DAO Also selected: has a website')
    await waitForText(screen, 'Space selects the highlighted one, so search for one word; Ctrl-U clears it')
    screen.type(keys.enter)
    await waitForText(screen, '> Space selects the highlighted one; Ctrl-U clears what was typed. Then Enter continues')
    screen.type('zzz')
    await waitForText(screen, 'Nothing matches; Ctrl-U clears what was typed')
    screen.type(keys.enter)
    await waitForText(screen, '> Nothing matches')
    screen.type(`${keys.clear}${keys.all}${keys.enter}`)
    await waitForText(screen, '✔ What applies to the business? has a website')
    screen.type(keys.stop)
    expect(await screen.ended).toBe(130)
  })
})
