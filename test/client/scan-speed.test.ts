// A share of the bench: a page of a long list is scanned in less CPU time than it takes to parse and write it. The bound is more
// than twice what is measured, so that it notices a doubling and nothing else.
import {execFileSync} from 'node:child_process'
import path from 'node:path'
import {expect, it} from 'vitest'
import {root} from '../support/svc.ts'

const ratioMax = 1.5

it('takes less CPU time to scan a page than to parse and write it', () => {
  const {NODE_V8_COVERAGE: _, ...env} = process.env
  const printed = execFileSync(process.execPath, [path.join(root, 'scripts/bench/scan-ratio.ts')], {env})
  expect(Number(printed.toString())).toBeLessThan(ratioMax)
})
