// The oracle of the stories finds untrue words of each command that speaks of money. They are planted in copies of what was really
// said. Those of the fleet are in test/money/fleet/stories.test.ts.
import {describe, expect, it} from 'vitest'
import type {Speaker} from '../support/spoken-words.ts'
import {json} from '../support/svc.ts'
import {useVirtualTime} from '../support/virtual-time.ts'
import {hasEndedBadly} from '../support/word-oracle.ts'
import {type Said, type StoryRecord, findLies} from './oracle.ts'
import {runStory} from './random-runs.ts'
import {Stage} from './stage.ts'
import {playStory} from './stories.ts'

useVirtualTime()

// Stories with one host, no refusal and a list that has everything at once, so that each of the words below is a lie. In them each
// command says something about a payment that was made.
const seeds = [9, 11, 27, 32, 50, 68]

type Lie = (said: Said, story: StoryRecord) => Said

const say =
  (before: string | RegExp, after: string): Lie =>
  (said) => ({...said, out: said.out.replace(before, after)})
const nameAnother = say(/00000000-0000-4000-9000-\d{12}/, '00000000-0000-4000-9000-999999999999')
const endWith =
  (code: number, err = ''): Lie =>
  (said) =>
    said.code === 0 ? {...said, code, err} : said
// One more row, about a payment that was made and has not ended badly.
const add =
  (list: string, row: object): Lie =>
  (said, {ledger}) => {
    const made = ledger.find((one) => !hasEndedBadly(one))
    const body = json(said.out)
    const rows = [...((body[list] ?? []) as object[]), {key: made?.key, transactionId: made?.id, ...row}]
    return made ? {...said, out: JSON.stringify({[list]: rows}), code: list === 'findings' ? 12 : said.code} : said
  }

// A run of the protocol that says something else of a payment that was there before it, or was not there after it.
const claim =
  (isMade: boolean, change: Partial<Said>, out: object = {}): Lie =>
  (said, {ledger}) => {
    const isSo = isMade
      ? ledger.some(({listedMs}) => listedMs < said.fromMs)
      : ledger.every(({madeMs}) => madeMs > said.toMs)
    return isSo && said.code !== null ? {...said, ...change, out: JSON.stringify({...json(said.out), ...out})} : said
  }

// Each changes nothing where the real words are others.
const lies: ReadonlyArray<[Speaker, string, Lie]> = [
  ['protocol', 'is made', claim(false, {code: 0})],
  ['protocol', 'ended badly', claim(false, {code: 11})],
  ['protocol', 'is another', claim(true, {code: 0}, {transactionId: 'another'})],
  ['protocol', 'was refused', (said, story) => claim(true, {code: 3, err: `Refused: ${said.key}`})(said, story)],
  ['protocol', 'was stopped by a limit', claim(true, {code: 10})],
  ['protocol', 'was not made, in a sentence', claim(true, {code: 6, err: 'The service failed, so nothing was made'})],
  ['protocol', 'was not paid, in a sentence', claim(true, {code: 2, err: 'Nothing was paid'})],
  ['protocol', 'is in the journal', claim(false, {code: 6}, {state: 'CREATED'})],
  ['protocol', 'is another in the journal', claim(true, {}, {state: 'CREATED', recordedId: 'another'})],
  ['protocol', 'met a fault of svc', claim(true, {code: 1})],
  ['pay', 'was refused', endWith(3)],
  ['pay', 'was stopped by a limit', endWith(10)],
  ['pay', 'ended badly', endWith(11)],
  ['pay', 'was not made', endWith(6, 'Nothing was paid.')],
  ['pay', 'is another', nameAnother],
  ['transactions create', 'was refused', endWith(3)],
  ['transactions create', 'is another', nameAnother],
  ['api POST /transactions', 'was refused', endWith(3)],
  ['api POST /transactions', 'is another', nameAnother],
  ['payouts run', 'was stopped', say('"state": "CREATED"', '"state": "STOPPED"')],
  ['payouts run', 'is another', nameAnother],
  ['payouts run --result', 'was stopped', say(',CREATED,', ',STOPPED,')],
  ['payouts run --result', 'is another', nameAnother],
  ['journal list', 'was never sent', say('"state": "CREATED"', '"state": "INTENDED"')],
  ['journal list', 'is another', nameAnother],
  ['journal show', 'was never sent', say('"state": "CREATED"', '"state": "INTENDED"')],
  ['journal show', 'is another', say(/"transactionId": "[^"]*"/, '"transactionId": "another"')],
  ['journal settle', 'was never made', add('settled', {state: 'ABANDONED'})],
  ['journal settle', 'is another', add('settled', {state: 'CREATED', transactionId: 'another'})],
  ['reconcile', 'ended badly', add('findings', {kind: 'ENDED_BADLY'})],
  ['reconcile', 'is not at the service', add('findings', {kind: 'NOT_AT_SERVICE'})],
  ['reconcile', 'is not in the journal', add('findings', {kind: 'NOT_IN_JOURNAL', transactionId: 'another'})],
  ['reconcile', 'needs no attention', (said) => (said.code === 12 ? {...said, code: 0, out: '{}'} : said)],
]

async function playStories(): Promise<StoryRecord[]> {
  const stories: StoryRecord[] = []
  for (const seed of seeds) stories.push(await playStory(seed))
  const stage = new Stage('none')
  const journals = [stage.journal(), stage.journal()] as const
  for (let seed = 1; seed <= 40; seed++) {
    const {record, isListedAtOnce} = await runStory(stage, seed, journals)
    if (isListedAtOnce && record.hostCount === 1) stories.push(record)
  }
  stage.close()
  return stories
}

let played: Promise<StoryRecord[]> | undefined
const getStories = () => (played ??= playStories())

describe('planted lies', () => {
  it('are not what was really said', async () => {
    expect((await getStories()).flatMap(findLies)).toEqual([])
  })

  it.each(lies)('of %s are found: that a payment %s', async (speaker, _, lie) => {
    const found = (await getStories()).flatMap((story) => {
      const isChanged = (said: Said) => JSON.stringify(lie(said, story)) !== JSON.stringify(said)
      const index = story.said.findLastIndex((said) => said.speaker === speaker && isChanged(said))
      const real = story.said[index]
      return real ? [findLies({...story, said: story.said.with(index, lie(real, story))}).length] : []
    })
    expect(found.length).toBeGreaterThan(0)
    expect(found).not.toContain(0)
  })
})
