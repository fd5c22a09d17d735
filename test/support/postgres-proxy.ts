// A TCP proxy between svc and a PostgreSQL server. It knows which statement passes, and cuts the connection at one of them.
import {once} from 'node:events'
import net, {type AddressInfo, type Socket} from 'node:net'
import {onTestFinished} from 'vitest'

export type Fault =
  // The statement never arrives: the connection is cut before.
  | 'cutBefore'
  // The statement is carried out, its answer is swallowed, and the connection is cut.
  | 'cutAfter'
  // The client's connection is cut, and the statement arrives at the server a moment later.
  | 'arriveLate'

export const cuttingFaults = ['cutBefore', 'cutAfter', 'arriveLate'] as const satisfies readonly Fault[]

interface Rule {
  matches: (sql: string) => boolean
  fault: Fault
  left: number
}

const lateMs = 60
const startupCodes = {ssl: 80_877_103, cancel: 80_877_102}

// Splits a stream into messages: a type of one byte, unless it is the first one, and a length.
class MessageReader {
  #rest = Buffer.alloc(0)
  #isFirst: boolean

  constructor(hasStartup: boolean) {
    this.#isFirst = hasStartup
  }

  read(chunk: Buffer): Buffer[] {
    this.#rest = Buffer.concat([this.#rest, chunk])
    const messages: Buffer[] = []
    for (;;) {
      const offset = this.#isFirst ? 0 : 1
      if (this.#rest.length < offset + 4) return messages
      const length = offset + this.#rest.readUInt32BE(offset)
      if (this.#rest.length < length) return messages
      const message = this.#rest.subarray(0, length)
      this.#rest = this.#rest.subarray(length)
      if (this.#isFirst) {
        const code = message.readUInt32BE(4)
        this.#isFirst = code === startupCodes.ssl
      }
      messages.push(message)
    }
  }
}

const readTexts = (message: Buffer, count: number): string[] => message.subarray(5).toString().split('\0', count)

export class PostgresProxy {
  readonly #server = net.createServer((client) => this.#accept(client))
  readonly #target: URL
  readonly #open = new Set<Socket>()
  // How many connections were opened so far.
  accepted = 0
  #rules: Rule[] = []
  #isDown = false
  readonly #late: Promise<unknown>[] = []
  #held: Array<() => void> | undefined

  private constructor(target: string) {
    this.#target = new URL(target)
  }

  // A proxy in front of the database of this address, until the test ends.
  static async start(target: string): Promise<PostgresProxy> {
    const proxy = await PostgresProxy.open(target)
    onTestFinished(() => proxy.close())
    return proxy
  }

  // The same for a script, which has to close it.
  static async open(target: string): Promise<PostgresProxy> {
    const proxy = new PostgresProxy(target)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  // The messages can be read only without TLS.
  get address(): string {
    const url = new URL(this.#target)
    url.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    url.searchParams.set('sslmode', 'disable')
    return url.href
  }

  // The next statements that match meet this fault.
  plan(fault: Fault, matches: RegExp | ((sql: string) => boolean), times = 1): void {
    const test = matches instanceof RegExp ? (sql: string) => matches.test(sql) : matches
    this.#rules.push({matches: test, fault, left: times})
  }

  get pendingFaults(): number {
    return this.#rules.reduce((sum, {left}) => sum + left, 0)
  }

  forgetFaults(): void {
    this.#rules = []
  }

  // Statements that arrive late wait from now on until they are delivered.
  holdLate(): void {
    this.#held = []
  }

  deliverLate(): void {
    for (const deliver of this.#held?.splice(0) ?? []) deliver()
  }

  // Resolves when the server has dealt with every statement that arrived late.
  async settled(): Promise<void> {
    await Promise.all(this.#late)
  }

  // Cuts every connection and accepts no other until up() is called.
  down(): void {
    this.#isDown = true
    this.#cutAll()
  }

  up(): void {
    this.#isDown = false
  }

  #cutAll(): void {
    for (const socket of this.#open) socket.destroy()
  }

  async close(): Promise<void> {
    this.#cutAll()
    this.#server.close()
    await once(this.#server, 'close').catch(() => {})
  }

  #takeFault(sql: string): Fault | undefined {
    const rule = this.#rules.find(({left, matches}) => left > 0 && matches(sql))
    if (rule) rule.left--
    return rule?.fault
  }

  #accept(client: Socket): void {
    if (this.#isDown) return void client.destroy()
    this.accepted += 1
    const server = net.connect(Number(this.#target.port || '5432'), this.#target.hostname)
    for (const socket of [client, server]) {
      this.#open.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => this.#open.delete(socket))
    }
    client.on('close', () => server.destroy())
    server.on('close', () => client.destroy())

    const fromClient = new MessageReader(true)
    const fromServer = new MessageReader(false)
    const prepared = new Map<string, string>()
    let fault: Fault | undefined
    let isFirst = true

    const cut = () => {
      client.destroy()
      server.destroy()
    }
    const findSql = (message: Buffer): string | undefined => {
      const type = String.fromCharCode(message[0] ?? 0)
      if (type === 'Q') return readTexts(message, 1)[0]
      if (type === 'P') {
        const [name = '', sql = ''] = readTexts(message, 2)
        prepared.set(name, sql)
      }
      if (type === 'B') return prepared.get(readTexts(message, 2)[1] ?? '')
      return undefined
    }
    client.on('data', (chunk: Buffer) => {
      const messages = fromClient.read(chunk)
      const passed: Buffer[] = []
      for (const message of messages) {
        if (isFirst) {
          isFirst = false
          passed.push(message)
          continue
        }
        const sql = findSql(message)
        if (sql !== undefined) fault ??= this.#takeFault(sql)
        if (fault === 'cutBefore') return cut()
        passed.push(message)
      }
      if (fault === 'arriveLate') {
        // The server is not told that the client has gone until it has the statement.
        client.removeAllListeners('close')
        client.on('close', () => this.#open.delete(client))
        client.destroy()
        const deliver = () => server.end(Buffer.concat(passed))
        if (this.#held) this.#held.push(deliver)
        else setTimeout(deliver, lateMs)
        this.#late.push(once(server, 'close'))
        return
      }
      server.write(Buffer.concat(passed))
    })
    server.on('data', (chunk: Buffer) => {
      if (fault === undefined || fault === 'cutBefore') return void client.write(chunk)
      if (fault === 'arriveLate') return undefined
      // The statement is done when the server is ready for the next one.
      if (fromServer.read(chunk).some((message) => message[0] === 'Z'.charCodeAt(0))) cut()
      return undefined
    })
  }
}
