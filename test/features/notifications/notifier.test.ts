// The outbox and the notify command: at least once, with a stable id, and whatever the command does.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import type {NotApproved} from '../../../src/controls/approvals.ts'
import {notifyNotApproved} from '../../../src/notifications/notify-not-approved.ts'
import {
  type Notifier,
  type NotifierSettings,
  createNotifier,
  runNotifyCommand,
} from '../../../src/notifications/notifier.ts'
import {openOutbox} from '../../../src/notifications/outbox.ts'
import {temporaryFolder} from '../../support/svc.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

const minuteMs = 60_000
const {advance} = useVirtualTime()

interface Bench {
  told: () => Array<Record<string, unknown>>
  notices: string[]
  outboxFile: string
  open: (more?: Partial<NotifierSettings>) => Notifier
}

// A command that writes what it is told to a file.
function createBench(): Bench {
  const folder = temporaryFolder()
  const file = path.join(folder, 'told')
  const notices: string[] = []
  return {
    outboxFile: path.join(folder, 'journal.notifications.sqlite'),
    notices,
    told: () =>
      fs.existsSync(file)
        ? fs
            .readFileSync(file, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as Record<string, unknown>)
        : [],
    open(more) {
      const notifier = createNotifier({
        caller: {profileName: 'acme', notify: {command: `cat >> '${file}'`}},
        serviceId: 'https://service.example',
        journal: {text: path.join(folder, 'journal.sqlite')},
        notice: (text) => notices.push(text),
        ...more,
      })
      if (!notifier) throw new Error('nobody is told')
      return notifier
    },
  }
}

const stopped = {event: 'payment.stopped', facts: ['rent', 'LIMIT_REACHED'], detail: {key: 'rent'}} as const

describe('a notification', () => {
  it('is given to the command as one line of JSON, with an id, the event, the time and the profile', async () => {
    const {open, told} = createBench()
    const notifier = open()
    notifier.add(stopped)
    await notifier.deliver()
    expect(told()).toEqual([
      {
        id: expect.stringMatching(/^ntf_[0-9a-f]{32}$/),
        event: 'payment.stopped',
        at: expect.stringMatching(/^[\d-]{10}T.*Z$/),
        profile: 'acme',
        service: 'https://service.example',
        key: 'rent',
      },
    ])
  })

  it('is told once, however often it is added, and has the same id on another machine', async () => {
    const [one, other] = [createBench(), createBench()]
    for (const {open} of [one, one, other]) {
      const notifier = open()
      notifier.add(stopped)
      notifier.add({...stopped, detail: {key: 'rent', reason: 'in other words'}})
      await notifier.deliver()
      notifier.close()
      advance(minuteMs)
    }
    expect(one.told()).toHaveLength(1)
    expect(other.told()[0]?.['id']).toBe(one.told()[0]?.['id'])
  })

  it('is delivered again if the process was killed before it could record the delivery', async () => {
    const {open, told, outboxFile} = createBench()
    open().add(stopped)
    // The claim of a process that never comes back.
    const outbox = openOutbox(outboxFile)
    expect(outbox.claim('acme', Date.now(), minuteMs)).toBeDefined()
    outbox.close()
    await open().deliver()
    expect(told()).toEqual([])
    advance(minuteMs)
    await open().deliver()
    expect(told()).toHaveLength(1)
  })

  it('waits for the profile that it is for', async () => {
    const {open, told} = createBench()
    open().add(stopped)
    const other = open({caller: {profileName: 'other', notify: {command: 'exit 9'}}})
    await other.deliver()
    expect(told()).toEqual([])
    await open().deliver()
    expect(told()).toHaveLength(1)
  })
})

describe('a notify command that fails', () => {
  it('is reported once and tried again later, with longer and longer pauses', async () => {
    const {open, told, notices} = createBench()
    const failing = open({command: 'cat > /dev/null; exit 3'})
    failing.add(stopped)
    failing.add({...stopped, facts: ['food']})
    await failing.deliver()
    await failing.deliver()
    expect(notices).toEqual(['The notify command ended with code 3; svc tries again later, and `svc doctor` shows it.'])
    // The first one is not due again yet, and the second was told to fail by the second delivery.
    await open().deliver()
    expect(told()).toEqual([])
    advance(minuteMs)
    await open().deliver()
    expect(told()).toHaveLength(2)
  })

  it('is ended if it hangs, with what it has started', async () => {
    expect(await runNotifyCommand('sleep 600; true', '{}', 50)).toBe('did not end within 0.05 s')
  })

  it('may leave its input unread', async () => {
    expect(await runNotifyCommand('true', 'x'.repeat(1_000_000))).toBeUndefined()
  })

  it('never fails a payment, even if nothing can be stored', async () => {
    const {open, notices} = createBench()
    const notifier = open({journal: {text: path.join('/dev/null', 'journal.sqlite')}})
    notifier.add(stopped)
    await notifier.deliver()
    expect(notices).toEqual([expect.stringMatching(/^A notification could not be stored \(.+\)\.$/)])
  })
})

it('an approval that is asked for is told once for the same content', async () => {
  const {open, told} = createBench()
  const notifier = open()
  const subject = {kind: 'payouts', serviceId: 'https://service.example', digest: 'abc'} as const
  const demand = {subject, required: 2, command: 'svc approve x'} as NotApproved['demand']
  for (const given of [0, 1]) notifyNotApproved(notifier, {demand, given}, {name: 'payroll.csv'})
  notifyNotApproved(undefined, {demand, given: 0}, {name: 'payroll.csv'})
  await notifier.deliver()
  expect(told()).toMatchObject([{event: 'approval.asked', digest: 'abc', name: 'payroll.csv', needed: 2}])
})
