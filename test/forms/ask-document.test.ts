// The prompt for a document: the path of a file, and what is wrong with it.
import fs from 'node:fs'
import path from 'node:path'
import {expect, it} from 'vitest'
import {pdf} from '../features/values/images.ts'
import {answer, keys, waitForText} from '../support/wizard-keys.ts'
import {customer, customerId, reply, serve} from '../support/service.ts'
import {freshHome, json} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'

const kilobyte = 1024
const validSize = {bytes: 120 * kilobyte}

// Runs the wizard up to the prompt for an image, in a folder with these files.
async function openImagePrompt(files: Record<string, Buffer>) {
  const home = freshHome()
  for (const [name, content] of Object.entries(files)) fs.writeFileSync(path.join(home.folder, name), content)
  const service = await serve((_, response) =>
    reply(
      response,
      200,
      customer(1, {customerStatus: 'NEEDS_ADDITIONAL_INFORMATION', customerType: 'BUSINESS', verificationIssues: []}),
    ),
  )
  const screen = onTerminal(home, ['customers', 'fix', customerId(1)], {env: service.env})
  // The documents are the last part.
  await answer(screen, 'What should be corrected?', `${keys.down.repeat(20)} `)
  await answer(screen, 'How many documents of the business?')
  await answer(screen, 'Kind of business document')
  await answer(screen, 'Notes about the document:')
  await waitForText(screen, '? Image of the document:')
  return {screen, service}
}

it.each(["'my papers.pdf'", 'my\\ papers.pdf', '~/my papers.pdf'])(
  'the path of a document may be written %s, as when a file is dragged into the terminal',
  async (typed) => {
    const {screen, service} = await openImagePrompt({'my papers.pdf': pdf(validSize)})
    screen.type(`${typed}\r`)
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    const {kybData} = json(service.requests.at(-1)?.body ?? '') as {
      kybData: {businessDocuments: Array<{documentImage: string}>}
    }
    expect(kybData.businessDocuments[0]?.documentImage).toMatch(/^data:application\/pdf;base64,/)
  },
)
