// Plays a story of a fleet, lets everything come to its end, and reads all that svc says about it.
import {setTimeout as sleep} from 'node:timers/promises'
import type {LedgerEntry} from '../word-oracle.ts'
import {FleetStage, type Said, type StoryServer, type StoryWorker} from './stage.ts'
import type {FleetStory, StoryEvent} from './story.ts'

// All that is needed to judge a story: what was said, and what is so.
export interface StoryRecord {
  story: FleetStory
  said: Said[]
  ledger: LedgerEntry[]
  lostIds: ReadonlySet<string>
  refusedKeys: ReadonlySet<string>
  lost: FleetStage['lost']
  // Whether every batch has come to its end.
  isSettled: boolean
  events: string[]
}

const startWaitMs = 20_000
const settleRoundsMax = 9
const roundMinutes = 7
const roundLimitMs = 30_000
const pollMs = 150
// No row is paid while a list that is not newest first takes more than two seconds to read twice
// (docs/paying-once.md), as one of many short pages does.
const quickMs = 5

class Players {
  readonly #stage: FleetStage
  readonly #workers: StoryWorker[] = []
  readonly #continuing: Array<Promise<void>> = []

  constructor(stage: FleetStage) {
    this.#stage = stage
    for (let index = 0; index < stage.story.workers; index++) this.#workers.push(stage.startWorker())
  }

  async #replace(index: number, signal: NodeJS.Signals): Promise<void> {
    const worker = this.#workers[index]
    worker?.process.kill('SIGCONT')
    worker?.process.kill(signal)
    await worker?.ended
    this.#workers[index] = this.#stage.startWorker()
  }

  // Others work meanwhile; the worker goes on by itself later.
  async #suspend({worker: index, forMs, isLong}: Extract<StoryEvent, {kind: 'suspend'}>): Promise<void> {
    const worker = this.#workers[index]
    worker?.process.kill('SIGSTOP')
    if (isLong) {
      await this.#stage.giveUpWorkers()
      this.#workers.push(this.#stage.startWorker())
      await sleep(2_000)
    }
    this.#continuing.push(sleep(forMs).then(() => void worker?.process.kill('SIGCONT')))
  }

  async play(event: StoryEvent): Promise<void> {
    const stage = this.#stage
    const {service, proxy} = stage
    switch (event.kind) {
      case 'suspend':
        return this.#suspend(event)
      case 'kill':
        return this.#replace(event.worker, 'SIGKILL')
      case 'stop':
        return this.#replace(event.worker, 'SIGTERM')
      case 'endBackends':
        return void (await stage.endBackends())
      case 'cut':
        return proxy.plan(event.fault, event.isCommit ? /^commit/i : /^\s*(with|update|insert|delete)\b/i)
      case 'killServer':
        return stage.killServer(event.downMs)
      case 'failOver': {
        const promote = await stage.copyDatabase()
        await sleep(event.lostMs)
        return promote()
      }
      case 'vanish':
        return void service.behaviour.lostIds.add(String(service.transactions.at(-1)?.['transactionId']))
      case 'update':
        for (const item of service.transactions.slice(0, 3))
          item['updatedAt'] = new Date(service.clock.now()).toISOString()
        return undefined
      case 'date':
        service.behaviour.dateSkewMs = event.skewMs
        return undefined
      case 'read':
        return readWords(stage, [event.batch])
      default:
        return changeBatch(stage, event)
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#continuing)
    for (const worker of this.#workers) {
      worker.process.kill('SIGCONT')
      worker.process.kill('SIGTERM')
    }
    await Promise.all(this.#workers.map(({ended}) => ended))
  }

  kill(): void {
    for (const {process: child} of this.#workers) child.kill('SIGKILL')
  }
}

async function changeBatch(stage: FleetStage, event: {kind: 'pause' | 'resume' | 'retry' | 'cancel'; batch: number}) {
  const {kind, batch} = event
  const name = stage.story.batches[batch]?.name ?? ''
  const command = kind === 'retry' ? 'resume' : kind
  await stage.tell(command, ['payouts', command, name, ...(kind === 'retry' ? ['--failed'] : []), '--json'], {batch})
}

async function readWords(stage: FleetStage, batches: readonly number[], isFinal = false): Promise<void> {
  for (const batch of batches) {
    const name = stage.story.batches[batch]?.name ?? ''
    await stage.tell('status', ['payouts', 'status', name, '--json'], {batch, isFinal})
    await stage.tell('result', ['payouts', 'status', name, '--rows', '--json'], {batch, isFinal})
    const said = await stage.tell('file', ['payouts', 'status', name, '--out', 'result.csv'], {batch, isFinal})
    said.out = stage.readFile('result.csv')
  }
  await stage.tell('journal', ['journal', 'list', '--all', '--json'], {isFinal})
  await stage.tellMetrics(isFinal)
}

const quietPollsMax = 5
const beginMs = 2_000

// Runs a worker until nothing is left to do. What is put off comes back in the next round.
async function runLastWorker(stage: FleetStage): Promise<void> {
  const {process: child, ended} = await stage.startLastWorker()
  const startedMs = Date.now()
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  for (let quiet = 0; !hasEnded() && quiet < quietPollsMax && Date.now() < startedMs + roundLimitMs;) {
    await sleep(pollMs)
    quiet = Date.now() > startedMs + beginMs && !(await stage.isBusy()) ? quiet + 1 : 0
  }
  const isTold = !hasEnded()
  if (isTold) child.kill('SIGTERM')
  await ended
  // One that was told to end says nothing about the batches.
  if (isTold) stage.said.pop()
}

// Nothing fails any more or is slow, and time passes until all is known.
async function settle(stage: FleetStage): Promise<boolean> {
  const {service, story, proxy} = stage
  service.behaviour.dateSkewMs = 0
  service.behaviour.latencyMs = quickMs
  proxy.forgetFaults()
  for (const [batch] of story.batches.entries()) await changeBatch(stage, {kind: 'resume', batch})
  for (let round = 0; round < settleRoundsMax; round++) {
    await stage.passTime(roundMinutes)
    await runLastWorker(stage)
    if ((await stage.countOpenBatches()) === 0) return true
  }
  return false
}

async function readAll(stage: FleetStage): Promise<void> {
  // The list has everything by now.
  await stage.passTime(roundMinutes)
  await readWords(stage, [...stage.story.batches.keys()], true)
  await stage.tell('reconcile', ['reconcile', '--since', '1d', '--json'], {isFinal: true})
  await stage.tell('report', ['report', '--since', '1d', '--json'], {isFinal: true})
  const toMs = Date.now()
  const common = {code: 0, err: '', fromMs: toMs, toMs, shiftMs: 0, isFinal: true}
  stage.said.push({...common, kind: 'notifications', out: stage.readFile('told.jsonl')})
}

async function waitForFirstRequest({service}: FleetStage): Promise<void> {
  const endsAt = Date.now() + startWaitMs
  while (service.requestsTo('POST /quotes').length === 0 && Date.now() < endsAt) await sleep(10)
}

async function playOn(stage: FleetStage): Promise<StoryRecord> {
  const {story, service} = stage
  const events: string[] = []
  for (const [batch, one] of story.batches.entries()) {
    await stage.tell('submit', ['payouts', 'submit', stage.writeFile(one), '--name', one.name, '--yes', '--json'], {
      batch,
    })
  }
  const steps = story.steps.map((step) => service.script(step))
  const players = new Players(stage)
  try {
    await waitForFirstRequest(stage)
    const startMs = Date.now()
    for (const {afterMs, event} of story.events) {
      await sleep(afterMs)
      events.push(`${Date.now() - startMs} ms, ${service.transactions.length} made: ${JSON.stringify(event)}`)
      await players.play(event)
    }
    await players.end()
  } finally {
    players.kill()
  }
  for (const step of steps) step.remove()
  const isSettled = await settle(stage)
  await readAll(stage)
  const {said, lost} = stage
  const refusedKeys = new Set(stage.listRefusedKeys())
  const {lostIds} = service.behaviour
  return {story, said, ledger: stage.readLedger(), lostIds, refusedKeys, lost, isSettled, events}
}

export async function playStory(story: FleetStory, server: StoryServer): Promise<StoryRecord> {
  const stage = await FleetStage.open(story, server)
  try {
    return await playOn(stage)
  } finally {
    await stage.close()
  }
}
