// A program that runs the PostgreSQL server of one run of the tests, and ends it when that run ends in whatever way.
// Its arguments: the folder for the server, and the process id of the run.
import fs from 'node:fs'
import path from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {createCertificates} from './certificates.ts'
import {PostgresServer} from './postgres-server.ts'

const pollMs = 250
const [, , folder = '', runId = ''] = process.argv

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const stopping = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stopping.abort())

async function waitForEnd(): Promise<void> {
  while (!stopping.signal.aborted && isRunning(Number(runId))) {
    await sleep(pollMs, undefined, {signal: stopping.signal}).catch(() => {})
  }
}

const report = (name: string, content: string) => {
  const file = path.join(folder, name)
  fs.writeFileSync(`${file}.new`, content)
  fs.renameSync(`${file}.new`, file)
}

// Roles that a test may create to be asked for a password, or to be let in only with TLS or only without.
const access = [
  'host all guarded 127.0.0.1/32 scram-sha-256',
  'hostssl all tls_only 127.0.0.1/32 trust',
  'host all tls_only 127.0.0.1/32 reject',
  'hostnossl all plain_only 127.0.0.1/32 trust',
  'host all plain_only 127.0.0.1/32 reject',
]

const server = new PostgresServer(path.join(folder, 'server'), {access, settings: ['ssl = on']})
try {
  await server.create()
  const {root, key, cert} = createCertificates()
  server.writeData('server.key', key)
  server.writeData('server.crt', cert)
  report('authority.pem', root)
  await server.start()
  report('ready', server.getAddress())
  await waitForEnd()
} catch (error) {
  report('failed', String(error))
  await waitForEnd()
} finally {
  await server.stop()
  fs.rmSync(folder, {recursive: true, force: true})
}
process.exit()
