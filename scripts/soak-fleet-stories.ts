// Plays stories of fleets with real workers and a real PostgreSQL, and compares everything that svc says with the ledger of the
// service: node scripts/soak-fleet-stories.ts --stories 300 --seed 1
import {findLies} from '../test/support/fleet-stories/fleet-oracle.ts'
import {playStory} from '../test/support/fleet-stories/play.ts'
import {StoryServer} from '../test/support/fleet-stories/stage.ts'
import {drawStory} from '../test/support/fleet-stories/story.ts'
import {pickSeed, print, runSoak} from './soak.ts'

await runSoak({stories: 300, seed: pickSeed()}, async ({stories, seed: first}) => {
  print(`${stories} stories of fleets, from seed ${first}`)
  const tally = {stories: 0, batches: 0, rows: 0, transactions: 0, words: 0, events: 0, failOvers: 0, serverKills: 0}
  const wrong: string[] = []
  const server = await StoryServer.start()
  try {
    for (let seed = first; seed < first + stories; seed++) {
      const record = await playStory(drawStory(seed), server)
      const {story, said, ledger} = record
      const countEvents = (kind: string) => story.events.filter(({event}) => event.kind === kind).length
      tally.stories += 1
      tally.batches += story.batches.length
      tally.rows += story.batches.reduce((sum, {rows}) => sum + rows.length, 0)
      tally.transactions += ledger.length
      tally.words += said.length
      tally.events += story.events.length
      tally.failOvers += countEvents('failOver')
      tally.serverKills += countEvents('killServer')
      const lies = findLies(record)
      if (lies.length > 0) wrong.push([`seed ${seed}:`, ...record.events, ...lies].join('\n  '))
      if (tally.stories % 10 === 0) print(JSON.stringify({...tally, wrong: wrong.length}))
    }
  } finally {
    await server.stop()
  }
  return {seed: first, ...tally, wrong}
})
