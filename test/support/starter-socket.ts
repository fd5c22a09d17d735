// How workers talk to the process that starts programs for them: messages as JSON, one a line, over a socket.
import type {Socket} from 'node:net'
import path from 'node:path'

export interface Program {
  file: string
  args: readonly string[]
  cwd: string
  env: Record<string, string | undefined>
}

export type Order = {id: number} & (
  | ({kind: 'run'; input: string} & Program)
  | ({kind: 'open'; cols: number; rows: number} & Program)
  | {kind: 'type'; keys: string}
  | {kind: 'kill'; signal: string}
)

export type Report = {id: number} & (
  | {kind: 'failed'; message: string}
  // Everything that a program in pipes printed, and its exit code.
  | {kind: 'ended'; code: number | null; out: string; err: string}
  // What a program on a terminal printed now.
  | {kind: 'written'; text: string}
  | {kind: 'exited'; code: number}
)

// A run of the tests is known by the id of its first process.
export const getStarterSocket = (temporary: string, processId: number) =>
  path.join(temporary, `svc-starter-${processId}`)

export const sendMessage = (socket: Socket, message: Order | Report) => socket.write(`${JSON.stringify(message)}\n`)

export function readMessages<Message extends Order | Report>(
  socket: Socket,
  receive: (message: Message) => void,
): void {
  let rest = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) receive(JSON.parse(line) as Message)
  })
}
