// Payments of random stories, made again in a sandbox with a frozen clock: their journals end in the same states, with the same
// lines at the same times. All of them with `npm run soak`.
import fs from 'node:fs'
import path from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {openJournal} from '../../../src/payments/journal/open-journal.ts'
import {isSameEnd, reproduce} from '../../../src/payments/audit/reproduction.ts'
import {type OriginalPayment, writeScript} from '../../../src/payments/audit/script.ts'
import {openSandbox} from '../../../src/sandbox/sandbox.ts'
import {inMemory} from '../../../src/storage/sqlite.ts'
import {seed} from '../../support/seed.ts'
import {countInShare} from '../../support/share.ts'
import {runStory} from '../random-runs.ts'
import {type PreparedSandbox, Stage, prepareSandbox, serviceId} from '../stage.ts'

// A hundred with `npm run soak`.
const stories = countInShare(100, 10)

let prepared: PreparedSandbox
beforeAll(() => {
  prepared = prepareSandbox()
})
afterAll(() => fs.rmSync(prepared.folder, {recursive: true, force: true}))

async function readOriginal(journalFile: string, key: string): Promise<OriginalPayment | undefined> {
  const journal = await openJournal({text: journalFile}, {isOnlyRead: true})
  const payment = await journal.find(serviceId, key)
  const history = await journal.history(serviceId, key)
  await journal.close()
  return payment && {payment, history}
}

async function reproduceAlone(original: OriginalPayment) {
  const frozenAt = new Date((original.history[0]?.at ?? 0) - 60_000)
  const sandbox = openSandbox({file: inMemory, seed: 'reproduced', frozenAt})
  try {
    return await reproduce(original, {sandbox, openJournal: (now) => openJournal({text: inMemory}, {now})})
  } finally {
    sandbox.close()
  }
}

const describeLines = (original: OriginalPayment) =>
  writeScript(original).map(({at, what}) => `${new Date(at).toISOString()} ${what}`)

describe('a payment that is reproduced', () => {
  it(`ends in the same states, in ${stories} random stories`, async () => {
    process.stderr.write(`reproduced payments: ${stories} from seed ${seed}\n`)
    const wrong: string[] = []
    let lines = 0
    for (let story = 0; story < stories; story++) {
      const stage = new Stage(prepared, 'journals')
      const journals = [stage.journal(), stage.journal()] as const
      const {events} = await runStory(stage, seed + story, journals)
      for (const file of journals.filter((one) => fs.existsSync(one))) {
        const original = await readOriginal(file, `story-${seed + story}`)
        if (!original) continue
        const reproduction = await reproduceAlone(original)
        lines += reproduction.steps.length
        const came = reproduction.steps.map(({at, what}) => `${at} ${what}`)
        const isSame = isSameEnd(original.payment, reproduction) && came.join() === describeLines(original).join()
        if (isSame) continue
        wrong.push(
          `seed ${seed + story}, ${path.basename(file)}: ${reproduction.divergence ?? 'another end'}; ${events.join(', ')}; ${describeLines(original).join(', ')}; came: ${JSON.stringify(reproduction.steps.slice(-3))}`,
        )
      }
      stage.close()
    }
    expect(wrong).toEqual([])
    expect(lines).toBeGreaterThan(stories)
  })
})
