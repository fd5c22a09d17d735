// Webhooks across processes: one queues and another sends, one dies and another continues.
import {type ChildProcess, execFile, spawn} from 'node:child_process'
import {once} from 'node:events'
import {promisify} from 'node:util'
import {describe, expect, it, onTestFinished} from 'vitest'
import {changeCustomer, parseCustomerId, waitUntil, startSender, openWithReceiver} from './receiver.ts'
import {bundleProgram} from '../../../support/bundled-program.ts'

const sender = new URL('sender.ts', import.meta.url)
const patcher = new URL('patcher.ts', import.meta.url)

async function startSenderProcess(file: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [await bundleProgram(sender), file], {stdio: ['ignore', 'pipe', 'inherit']})
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

async function kill(child: ChildProcess) {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

const waitAWhile = () => new Promise((resolve) => setTimeout(resolve, 300))

describe('events of another process', () => {
  it('are sent by the running server', async () => {
    const {file, receiver} = await openWithReceiver()
    await startSenderProcess(file)
    const {stdout} = await promisify(execFile)(process.execPath, [await bundleProgram(patcher), file])
    await receiver.has(1)
    expect(receiver.received.map(parseCustomerId)).toEqual([stdout])
  })
})

describe('a server that is killed', () => {
  it('between sending an event and recording it is followed by one that sends it again at once', async () => {
    const {file, sandbox, receiver} = await openWithReceiver((response, count) => {
      if (count > 1) response.writeHead(204).end()
    })
    const {customerId} = await changeCustomer(sandbox)
    const child = await startSenderProcess(file)
    await receiver.has(1)
    await kill(child)
    expect(sandbox.webhooks.deliveries().deliveries).toMatchObject([{status: 'PENDING', attempts: 0}])
    await startSenderProcess(file)
    await receiver.has(2)
    const [first, again] = receiver.received
    expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(again?.body.equals(first?.body ?? Buffer.from(''))).toBe(true)
    expect(receiver.received.map(parseCustomerId)).toEqual([customerId, customerId])
    await waitUntil(() =>
      expect(sandbox.webhooks.deliveries().deliveries).toMatchObject([{status: 'DELIVERED', attempts: 1}]),
    )
  })

  it('repeatedly loses nothing', async () => {
    const {file, sandbox, receiver} = await openWithReceiver()
    const changed = new Set<string>()
    for (let round = 0; round < 4; round++) {
      const child = await startSenderProcess(file)
      for (let count = 0; count < 10; count++) changed.add((await changeCustomer(sandbox)).customerId)
      await kill(child)
    }
    startSender(file)
    await waitUntil(() => expect(new Set(receiver.received.map(parseCustomerId))).toEqual(changed))
    await waitUntil(() => expect(sandbox.webhooks.deliveries({status: 'PENDING'}).deliveries).toEqual([]))
  })
})

describe('two servers on one file', () => {
  it('send each event once, in order', async () => {
    const {file, sandbox, receiver} = await openWithReceiver((response) => {
      setTimeout(() => response.writeHead(204).end(), 10)
    })
    await Promise.all([startSenderProcess(file), startSenderProcess(file)])
    const order: string[] = []
    for (let count = 0; count < 20; count++) order.push((await changeCustomer(sandbox)).customerId)
    await waitUntil(() =>
      expect(sandbox.webhooks.deliveries({status: 'DELIVERED', limit: 20}).deliveries).toHaveLength(20),
    )
    await waitAWhile()
    expect(receiver.received.map(parseCustomerId)).toEqual(order)
  })
})

describe('a server that stops', () => {
  it('lets an attempt in progress finish', async () => {
    const {file, sandbox, receiver} = await openWithReceiver((response) => {
      setTimeout(() => response.writeHead(204).end(), 100)
    })
    await changeCustomer(sandbox)
    const {stop} = startSender(file)
    await receiver.has(1)
    await stop()
    expect(sandbox.webhooks.deliveries().deliveries).toMatchObject([{status: 'DELIVERED', attempts: 1}])
  })

  it('aborts an attempt that takes too long, which then counts as not made', async () => {
    const {file, sandbox, receiver} = await openWithReceiver((response, count) => {
      if (count > 1) response.writeHead(204).end()
    })
    await changeCustomer(sandbox)
    const {stop} = startSender(file, {stopGraceMs: 20})
    await receiver.has(1)
    await stop()
    expect(sandbox.webhooks.deliveries().deliveries).toMatchObject([{status: 'PENDING', attempts: 0}])
    startSender(file)
    await receiver.has(2)
  })
})
