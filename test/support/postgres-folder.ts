// The folder of the PostgreSQL server of one run of the tests, which is known by the id of its first process.
import fs from 'node:fs'
import path from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'

export const getPostgresFolder = (temporary: string, processId: number) =>
  path.join(temporary, `svc-postgres-${processId}`)

export const keeperFile = 'keeper'

const stopLimitMs = 20_000
const pollMs = 20

// Asks the program that keeps the server to end it, and waits until it has removed the folder.
export async function stopPostgres(folder: string): Promise<void> {
  if (!fs.existsSync(folder)) return
  try {
    process.kill(Number(fs.readFileSync(path.join(folder, keeperFile), 'utf8')), 'SIGTERM')
  } catch {
    return
  }
  const endsAt = performance.now() + stopLimitMs
  while (fs.existsSync(folder) && performance.now() < endsAt) await sleep(pollMs)
}
