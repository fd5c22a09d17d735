// Plays stories of fleets with real workers and a real PostgreSQL, and compares everything that svc says with the ledger of the
// service: node scripts/soak-fleet-stories.ts --stories 300 --seed 1
import fs from 'node:fs'
import {parseArgs} from 'node:util'
import {findLies} from '../test/support/fleet-stories/fleet-oracle.ts'
import {playStory} from '../test/support/fleet-stories/play.ts'
import {StoryServer} from '../test/support/fleet-stories/stage.ts'
import {drawStory} from '../test/support/fleet-stories/story.ts'

const {values} = parseArgs({
  options: {
    stories: {type: 'string', default: '300'},
    seed: {type: 'string'},
    // A folder for the records of stories in which something was wrong.
    keep: {type: 'string'},
  },
})
const stories = Number(values.stories)
const first = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed)
const report = (text: string) => process.stderr.write(`${text}\n`)

async function play(seed: number, server: StoryServer) {
  const record = await playStory(drawStory(seed), server)
  const wrong = findLies(record)
  if (wrong.length > 0 && values.keep !== undefined) {
    fs.writeFileSync(
      `${values.keep}/story-${seed}.json`,
      JSON.stringify(record, (_, value: unknown) => (value instanceof Set ? [...(value as Set<unknown>)] : value), 1),
    )
  }
  return {record, wrong}
}

report(`${stories} stories of fleets, from seed ${first}`)
const started = performance.now()
const tally = {
  stories: 0,
  batches: 0,
  rows: 0,
  transactions: 0,
  words: 0,
  events: 0,
  failOvers: 0,
  serverKills: 0,
  wrong: 0,
}
const server = await StoryServer.start()
try {
  for (let seed = first; seed < first + stories; seed++) {
    const {record, wrong} = await play(seed, server)
    const {story, said, ledger} = record
    tally.stories += 1
    tally.batches += story.batches.length
    tally.rows += story.batches.reduce((sum, {rows}) => sum + rows.length, 0)
    tally.transactions += ledger.length
    tally.words += said.length
    tally.events += story.events.length
    tally.failOvers += story.events.filter(({event}) => event.kind === 'failOver').length
    tally.serverKills += story.events.filter(({event}) => event.kind === 'killServer').length
    tally.wrong += wrong.length > 0 ? 1 : 0
    if (wrong.length > 0) report([`seed ${seed}:`, ...record.events, ...wrong].join('\n  '))
    if (tally.stories % 10 === 0) report(JSON.stringify(tally))
  }
} finally {
  await server.stop()
}
const minutes = ((performance.now() - started) / 60_000).toFixed(1)
report(`${tally.wrong === 0 ? 'Nothing was wrong' : 'WRONG'}: ${JSON.stringify(tally)} (${minutes} min)`)
process.exitCode = tally.wrong === 0 ? 0 : 1
