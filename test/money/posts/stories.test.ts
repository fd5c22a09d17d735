// Rules, customers and `svc api` by several processes that are killed at random moments: what is
// meant happens once, and no word is untrue.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {endpoints} from '../../../src/contract/endpoints.ts'
import {configuration} from '../../features/rules/rule-service.ts'
import {isSeedGiven, seed} from '../../support/seed.ts'
import {countInShare} from '../../support/share.ts'
import {createTeam} from '../../support/approvals.ts'
import {reply, serve} from '../../support/service.ts'
import {freshHome, run} from '../../support/svc.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'
import {commands, playApprovals, playPosts} from './stories.ts'

const stories = isSeedGiven ? 1 : countInShare(240, 40)
const atOnce = 6
// Longer than a story takes on a machine with ten times as much to do.
const storyMaxMs = 60_000

// A new write of the interface has to be played too. Payments are played by the tests around this
// folder.
it('plays every write of the interface', () => {
  const writes = Object.entries<Record<string, {method: string}>>(endpoints).flatMap(([noun, own]) =>
    Object.entries(own).flatMap(([verb, {method}]) => (method === 'GET' ? [] : [`${noun}.${verb}`])),
  )
  const played = commands.map((command) => command.writes)
  expect(new Set([...played, 'transactions.create'])).toEqual(new Set(writes))
})

it(
  'makes, changes or deletes one rule or customer, whatever fails, is killed or runs at the same time',
  async () => {
    process.stderr.write(`random posts: ${stories} from seed ${seed}\n`)
    const seeds = Array.from({length: stories}, (_, index) => seed + index)
    const wrong: string[] = []
    const playNext = async (): Promise<void> => {
      for (let own = seeds.shift(); own !== undefined; own = seeds.shift()) {
        wrong.push(...(await playPosts(freshHome(), own)))
      }
    }
    await Promise.all(Array.from({length: atOnce}, playNext))
    expect(wrong).toEqual([])
  },
  stories * storyMaxMs,
)

it(
  'keeps each approval whole, whoever else approves or is killed',
  async () => {
    const wrong: string[] = []
    for (let own = seed; own < seed + Math.ceil(stories / 3); own++)
      wrong.push(...(await playApprovals(createTeam(), own)))
    expect(wrong).toEqual([])
  },
  stories * storyMaxMs,
)

describe('without a note', () => {
  useVirtualTime()

  it.each(commands.filter(({notes}) => notes))('$name sends nothing', async ({noun, notes, args}) => {
    const service = await serve(({method}, response) =>
      method === 'GET' ? reply(response, 200, {[noun.field]: [], nextPageToken: ''}) : reply(response, 503, {}),
    )
    const home = freshHome()
    fs.writeFileSync(path.join(home.folder, 'rule.json'), JSON.stringify(configuration()))
    const runIt = () => run(home, args, {env: service.env})
    const countSent = () => service.requests.filter(({method}) => method === 'POST').length

    expect((await runIt()).code).toBe(7)
    const folder = path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'state', `sent-${notes}`)
    const [note = ''] = fs.globSync('*.json', {cwd: folder})
    fs.rmSync(path.join(folder, note))
    fs.mkdirSync(path.join(folder, note))
    expect(await runIt()).toMatchObject({code: 2, err: expect.stringContaining('nothing was sent') as string})

    fs.rmSync(folder, {recursive: true})
    fs.writeFileSync(folder, '')
    expect((await runIt()).code).toBe(2)
    expect(countSent()).toBe(1)
  })
})
