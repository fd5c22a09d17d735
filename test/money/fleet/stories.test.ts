// Stories of fleets with real workers and a real database, and the proof that their oracle finds a lie of each kind. Many more are
// played by `node scripts/soak-fleet-stories.ts`.
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {findLies} from '../../support/fleet-stories/fleet-oracle.ts'
import {type StoryRecord, playStory} from '../../support/fleet-stories/play.ts'
import {type Said, type SaidKind, StoryServer} from '../../support/fleet-stories/stage.ts'
import {drawStory} from '../../support/fleet-stories/story.ts'
import {seed} from '../../support/seed.ts'

// One that makes enough to lie about, and another of the seed that is printed. SVC_TEST_SEED repeats it.
const seeds = [3, seed]

let server: StoryServer
const records: StoryRecord[] = []
beforeAll(async () => {
  server = await StoryServer.start()
})
afterAll(() => server.stop())

describe('a fleet whose workers, database and service fail', () => {
  it.each(seeds)('pays once, and never says what is not so, with seed %i', async (own) => {
    const record = await playStory(drawStory(own), server)
    records.push(record)
    expect(findLies(record), record.events.join('\n')).toEqual([])
  })
})

// A story in which something was made.
function getRecord(): StoryRecord {
  const record = records.find(({ledger}) => ledger.length > 2)
  if (!record) throw new Error('no story has made anything')
  return record
}

// A copy of a story in which the last words of this kind are others.
function changeLast(kind: SaidKind, change: (said: Said) => Partial<Said>): StoryRecord {
  const record = getRecord()
  const index = record.said.findLastIndex((said) => said.kind === kind)
  const said = record.said[index]
  if (!said) throw new Error(`the story has no words of ${kind}`)
  return {...record, said: record.said.with(index, {...said, ...change(said)})}
}

// A copy of a story in which this was said at the end too.
function addWords(kind: SaidKind, words: Partial<Said>): StoryRecord {
  const record = getRecord()
  const last = record.said.at(-1)
  if (!last) throw new Error('nothing was said')
  return {...record, said: [...record.said, {...last, kind, code: 0, out: '', err: '', ...words}]}
}

const changeJson = (text: string, change: (body: Record<string, unknown>) => unknown) => {
  const body = JSON.parse(text) as Record<string, unknown>
  return JSON.stringify(change(body))
}

// A row that was made, and its batch. What the service refused and made all the same may be called refused.
function getMade() {
  const {ledger, refusedKeys, story} = getRecord()
  const entry = ledger.find(({key}) => !refusedKeys.has(key))
  const batch = story.batches.findIndex(({rows}) => rows.some(({key}) => key === entry?.key))
  const {name = '', rows = []} = story.batches[batch] ?? {}
  if (!entry || batch < 0) throw new Error('nothing was made')
  return {batch, name, count: rows.length, entry}
}

const rowOf = (state: string, transaction?: string) => ({key: getMade().entry.key, state, transaction})
const line = (fields: object) => `${JSON.stringify({time: new Date().toISOString(), message: 'row', ...fields})}\n`
const summary = (counts: object, code = 0) => {
  const {count, batch} = getMade()
  const none = {made: 0, waiting: 0, inFlight: 0, unknown: 0, failed: 0, cancelled: 0}
  return {batch, code, out: JSON.stringify({rows: count, ...none, ...counts})}
}

const lies: Record<string, () => StoryRecord> = {
  'status counts a made row as cancelled': () => addWords('status', summary({cancelled: getMade().count}, 9)),
  'status counts a made row as waiting': () => addWords('status', summary({waiting: getMade().count}, 8)),
  'status counts too many as made': () =>
    addWords('status', {...summary({made: 99}), out: summary({made: 99, rows: 99}).out}),
  'status leaves rows out': () => addWords('status', summary({})),
  'status names a made row as stopped': () =>
    addWords('status', summary({unknown: getMade().count, attention: [rowOf('STOPPED')]}, 7)),
  'status ends with 0 although a row is unknown': () => addWords('status', summary({unknown: getMade().count})),
  'result says of a made row that it was not tried': () =>
    addWords('result', {out: JSON.stringify({payouts: [rowOf('NOT_TRIED')]}), code: 8}),
  'result says of a made row that it was refused': () =>
    addWords('result', {out: JSON.stringify({payouts: [rowOf('REJECTED')]}), code: 9}),
  'result names another transaction': () =>
    addWords('result', {out: JSON.stringify({payouts: [rowOf('CREATED', 'another')]})}),
  'result says made of what was never made': () =>
    addWords('result', {out: JSON.stringify({payouts: [{key: 'never', state: 'CREATED'}]})}),
  'result ends with 0 although a row is unknown': () =>
    addWords('result', {out: JSON.stringify({payouts: [rowOf('UNKNOWN')]})}),
  'the result file says of a made row that it failed': () =>
    addWords('file', {
      out: `key,state,transaction,error\n${getMade().entry.key},FAILED,,\n`,
      code: 9,
    }),
  'the journal has a made payment as intended': () =>
    changeLast('journal', ({out}) => ({out: out.replace('"CREATED"', '"INTENDED"')})),
  'the metrics count one more as made': () =>
    changeLast('metrics', ({out}) => ({
      out: out.replace(/(svc_batch_rows\{state="CREATED"\}) \d+/, '$1 999'),
    })),
  'the metrics count rows as stopped that were made': () =>
    changeLast('metrics', ({out}) => ({out: `${out}svc_batch_rows{state="STOPPED"} 999\n`})),
  'reconcile says that a good transaction ended badly': () =>
    changeLast('reconcile', ({out}) => ({
      code: 12,
      out: changeJson(out, ({findings}) => ({
        findings: [
          ...(findings as unknown[]),
          {kind: 'ENDED_BADLY', key: getMade().entry.key, transactionId: 'another'},
        ],
      })),
    })),
  'reconcile finds nothing, and ends with 12': () =>
    changeLast('reconcile', () => ({code: 12, out: JSON.stringify({findings: []})})),
  'the report has a payment too many': () =>
    changeLast('report', ({out}) => ({
      out: changeJson(out, (body) => ({...body, payments: Number(body['payments']) + 1})),
    })),
  'the report has an amount too many': () =>
    changeLast('report', ({out}) => ({out: changeJson(out, (body) => ({...body, totals: [{paid: '999999'}]}))})),
  'a notification says that a made payment was stopped': () =>
    addWords('notifications', {out: JSON.stringify({event: 'payouts.stopped', keys: [getMade().entry.key]})}),
  'a notification says that what was never made ended badly': () =>
    addWords('notifications', {out: JSON.stringify({event: 'payment.ended', key: 'never'})}),
  'cancel says that all rows are not paid': () =>
    addWords('cancel', {batch: getMade().batch, err: `The batch is CANCELLED: ${getMade().count} cancelled.`}),
  'cancel says that more were made': () =>
    addWords('cancel', {batch: getMade().batch, err: 'The batch is CANCELLED: 99 made.'}),
  'pause counts a made row as waiting': () => addWords('pause', summary({waiting: getMade().count})),
  'resume counts a made row as waiting': () => addWords('resume', summary({waiting: getMade().count})),
  'a worker says that made rows were not paid': () =>
    addWords('work', {
      code: 9,
      openBatches: [getMade().name],
      err: `Some rows were not paid (batch b: Of ${getMade().count} rows, ${getMade().count} failed)`,
    }),
  'a worker ends with 7, and nothing is unknown': () =>
    addWords('work', {
      code: 7,
      openBatches: [getMade().name],
      err: 'The outcome of some rows is unknown (batch b: 1 made)',
    }),
  'a worker logs a made row as failed': () => addWords('log', {err: line(rowOf('FAILED'))}),
  'a worker logs as made what was never made': () => addWords('log', {err: line({key: 'never', state: 'CREATED'})}),
  'a worker ends with a code that it has not': () => addWords('log', {code: 5}),
  'a submit fails': () => addWords('submit', {code: 10}),
  'a command ends with a bug': () => addWords('metrics', {code: 1}),
}

describe('the oracle of fleets', () => {
  it.each(Object.keys(lies))('finds that %s', (name) => {
    const before = findLies(getRecord())
    const found = findLies((lies[name] as () => StoryRecord)())
    expect(found.length).toBeGreaterThan(before.length)
  })

  it('finds that a worker ended with 0 although a row was not made', () => {
    const {batch, name, entry} = getMade()
    const record = addWords('work', {batch, openBatches: [name]})
    const ledger = record.ledger.filter(({key}) => key !== entry.key)
    expect(findLies({...record, ledger}).join('\n')).toContain(`the code of work: ${entry.key} is said to be MADE`)
  })

  it('finds that a key was paid twice, and that reconcile does not say so', () => {
    const record = getRecord()
    const {entry} = getMade()
    const found = findLies({...record, ledger: [...record.ledger, {...entry, id: 'second'}]}).join('\n')
    expect(found).toContain(`${entry.key} was made 2 times`)
    expect(found).toContain(`reconcile does not report ${entry.key}, whose transaction second is ${entry.status}`)
  })

  it('finds that reconcile does not report what the service lost, what ended badly and what the journal lacks', () => {
    const record = changeLast('reconcile', () => ({code: 0, out: JSON.stringify({findings: []})}))
    const {entry} = getMade()
    const others = record.ledger.filter((one) => one !== entry)
    const message = `reconcile does not report ${entry.key}`
    expect(findLies({...record, lostIds: new Set([entry.id])}).join('\n')).toContain(message)
    expect(findLies({...record, ledger: [...others, {...entry, status: 'FAILED'}]}).join('\n')).toContain(message)
    const lacking = {...entry, key: 'lacking', id: 'lacking'}
    expect(findLies({...record, ledger: [...record.ledger, lacking]}).join('\n')).toContain('does not report lacking')
  })

  it('finds that a made row is told as nothing at the end, and that batches have not ended', () => {
    const record = getRecord()
    const {entry} = getMade()
    const said = record.said.filter(({kind, isFinal}) => !(kind === 'result' && isFinal))
    expect(findLies({...record, said}).join('\n')).toContain(`${entry.key} is undefined at the end`)
    expect(findLies({...record, isSettled: false})).toContain('the batches have not ended')
  })
})
