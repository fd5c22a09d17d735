// Starts programs for the workers (program-starter.ts), and tells them what the programs print and how they end.
import {type ChildProcess, spawn} from 'node:child_process'
import net, {type Socket} from 'node:net'
import pty, {type IPty} from '@lydell/node-pty'
import {type Order, type Report, readMessages, sendMessage} from './starter-socket.ts'

type Tell = (report: Report) => void

function runInPipes({id, file, args, cwd, env, input}: Extract<Order, {kind: 'run'}>, tell: Tell): ChildProcess {
  const child = spawn(file, args, {cwd, env})
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  child.on('error', ({message}) => tell({id, kind: 'failed', message}))
  child.on('close', (code) => tell({id, kind: 'ended', code, out, err}))
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  return child
}

function openTerminal({id, file, args, cwd, env, cols, rows}: Extract<Order, {kind: 'open'}>, tell: Tell): IPty {
  const terminal = pty.spawn(file, [...args], {cwd, env, cols, rows})
  terminal.onData((text) => tell({id, kind: 'written', text}))
  terminal.onExit(({exitCode}) => tell({id, kind: 'exited', code: exitCode}))
  return terminal
}

function serveWorker(worker: Socket): void {
  const children = new Map<number, ChildProcess>()
  const terminals = new Map<number, IPty>()
  const tell = (report: Report) => {
    if (report.kind !== 'written') {
      children.delete(report.id)
      terminals.delete(report.id)
    }
    if (worker.writable) sendMessage(worker, report)
  }
  const follow = (order: Order) => {
    if (order.kind === 'run') children.set(order.id, runInPipes(order, tell))
    else if (order.kind === 'open') terminals.set(order.id, openTerminal(order, tell))
    else if (order.kind === 'type') terminals.get(order.id)?.write(order.keys)
    else terminals.get(order.id)?.kill(order.signal)
  }
  readMessages<Order>(worker, (order) => {
    try {
      follow(order)
    } catch (error) {
      tell({id: order.id, kind: 'failed', message: String(error)})
    }
  })
  // A worker that was killed closes the connection as well.
  worker.on('error', () => {})
  worker.on('close', () => {
    for (const child of children.values()) child.kill('SIGKILL')
    for (const terminal of terminals.values()) terminal.kill()
  })
}

const [socketFile = ''] = process.argv.slice(2)
net.createServer(serveWorker).listen(socketFile, () => process.send?.('listening'))
// The run of the tests has ended.
process.on('disconnect', () => process.exit())
