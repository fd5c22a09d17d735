// Measures what svc promises about speed, as ratios within one run; `npm run bench -- start-up` measures one part alone.
import {benchFleet} from './fleet.ts'
import {benchJournal} from './journal.ts'
import {benchLongList} from './long-list.ts'
import {benchPayouts} from './payouts.ts'
import {benchDeepPages, benchSandbox} from './sandbox.ts'
import {benchStartUp} from './start-up.ts'

const parts: Record<string, () => Promise<boolean>> = {
  'start-up': benchStartUp,
  sandbox: benchSandbox,
  'deep-pages': benchDeepPages,
  'long-list': benchLongList,
  payouts: benchPayouts,
  journal: benchJournal,
  fleet: benchFleet,
}

const wanted = process.argv.slice(2)
for (const [name, measure] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  if (!(await measure())) process.exitCode = 1
}
