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
  await waitForText(screen, 'A number or Space selects, a word finds, Enter continues')
  return screen
}

describe('a checklist', () => {
  it('takes a number of two digits as one number', async () => {
    const screen = await openChecklist()
    screen.type('1')
    await waitForText(screen, '❯ [ ] 1. conducts money services')
    await waitForText(screen, 'Space selects 1, “conducts money services”')
    screen.type('4')
    await waitForText(screen, '❯ [x] 14. has more than one document')
    screen.type(`17${keys.enter}`)
    await waitForText(screen, '> There is no number 17; Ctrl-U clears it')
    screen.type(`${keys.clear}1${keys.enter}`)
    await waitForText(screen, '❯ [x] 1. conducts money services')
    screen.type('1')
    await waitForText(screen, 'Space unselects 1, “conducts money services”')
    screen.type(' 16')
    await waitForText(screen, '❯ [x] 16. has notes on a document')
    screen.type(keys.enter)
    await waitForText(screen, '✔ What applies to the business? has more than one document; has notes on a document')
    screen.type(keys.stop)
    expect(await screen.ended).toBe(130)
  })

  it('selects by one digit that cannot begin a longer number, with or without a Space after it', async () => {
    const screen = await openChecklist()
    screen.type('5')
    await waitForText(screen, '❯ [x] 5. has a website')
    await waitForText(screen, 'A number or Space selects, a word finds, Enter continues')
    screen.type('6 7')
    await waitForText(screen, '❯ [x] 7. does business under another name')
    // The same number again takes it back, and so does Space once another one was highlighted.
    screen.type(`7${keys.up}${keys.down} 5`)
    await waitForText(screen, '❯ [ ] 5. has a website')
    screen.type(keys.enter)
    await waitForText(
      screen,
      '✔ What applies to the business? has other links or handles; does business under another name',
    )
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
