// Starts programs from a small process, one for the whole run. To start a program, a process copies the table of its own pages,
// and for a worker with hundreds of megabytes this takes a quarter of the time that svc needs to run.
import {fork} from 'node:child_process'
import {once} from 'node:events'
import fs from 'node:fs'
import net, {type Socket} from 'node:net'
import os from 'node:os'
import path from 'node:path'
import {type Order, type Program, type Report, getStarterSocket, readMessages, sendMessage} from './starter-socket.ts'

export interface ProgramResult {
  code: number | null
  out: string
  err: string
}

export interface Terminal {
  type(keys: string): void
  kill(signal: 'SIGKILL' | 'SIGTERM'): void
  ended: Promise<number>
}

// Called once, by the first process of the run. Returns a function that ends the starter and waits for its end, so that its time
// counts as time of the tests.
export async function openStarter(temporary: string): Promise<() => Promise<void>> {
  const socketFile = getStarterSocket(temporary, process.pid)
  fs.rmSync(socketFile, {force: true})
  const starter = fork(path.join(import.meta.dirname, 'program-starter-process.ts'), [socketFile], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = once(starter, 'exit')
  await Promise.race([once(starter, 'message'), ended])
  return async () => {
    if (starter.connected) starter.disconnect()
    await ended
    fs.rmSync(socketFile, {force: true})
  }
}

// Found now, because a run of svc in this process replaces the environment.
const socketOfRun = getStarterSocket(os.tmpdir(), process.ppid)
const receivers = new Map<number, (report: Report) => void>()
let connection: Socket | undefined
let lastId = 0

function connect(): Socket {
  const socket = net.connect(socketOfRun)
  let failure = 'the process that starts programs has ended'
  readMessages<Report>(socket, (report) => receivers.get(report.id)?.(report))
  socket.on('error', ({message}) => (failure = message))
  socket.on('close', () => {
    connection = undefined
    for (const [id, receive] of receivers) receive({id, kind: 'failed', message: failure})
  })
  // A worker that has nothing else to do may end.
  return socket.unref()
}

const send = (order: Order) => sendMessage((connection ??= connect()), order)

// Runs a program to its end, with the input in a pipe.
export function runProgram(program: Program, input: string): Promise<ProgramResult> {
  const id = ++lastId
  return new Promise<ProgramResult>((resolve, reject) => {
    receivers.set(id, (report) => {
      if (report.kind === 'ended') resolve({code: report.code, out: report.out, err: report.err})
      if (report.kind === 'failed') reject(new Error(report.message))
    })
    send({id, kind: 'run', input, ...program})
  }).finally(() => receivers.delete(id))
}

// Runs a program on a pseudo-terminal.
export function openTerminal(
  program: Program,
  {cols, rows, onWritten}: {cols: number; rows: number; onWritten: (text: string) => void},
): Terminal {
  const id = ++lastId
  const ended = new Promise<number>((resolve, reject) => {
    receivers.set(id, (report) => {
      if (report.kind === 'written') onWritten(report.text)
      if (report.kind === 'exited') resolve(report.code)
      if (report.kind === 'failed') reject(new Error(report.message))
    })
  }).finally(() => receivers.delete(id))
  send({id, kind: 'open', cols, rows, ...program})
  return {
    type: (keys) => send({id, kind: 'type', keys}),
    kill: (signal) => send({id, kind: 'kill', signal}),
    ended,
  }
}
