// Waits for requests to arrive at a sandbox whose faults delay them, also in another process.
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {expect, onTestFinished} from 'vitest'
import type {Home} from './svc.ts'

const busyMs = 60_000

export const getSandboxFile = ({env}: Home): string => path.join(env['SVC_CONFIG_DIR'] ?? '', 'state', 'sandbox.sqlite')

// Resolves when faults have acted on this many requests.
export async function waitForActedFaults(file: string, count: number): Promise<void> {
  const database = new DatabaseSync(file, {readOnly: true, timeout: busyMs})
  onTestFinished(() => database.close())
  const select = database.prepare('select coalesce(sum(acted), 0) as acted from faults')
  await expect.poll(() => Number(select.get()?.['acted'])).toBeGreaterThanOrEqual(count)
}
