// The tests that a mutation run asks, quickest first: they run in one process, and stop at the first that notices the fault.
import {BaseSequencer, type TestSpecification} from 'vitest/node'
import {defineConfig} from 'vitest/config'
import config from '../../vitest.config.ts'

const tests = [
  'money/evidence/decide',
  'money/rules/pay/known-payments',
  'money/rules',
  'money/service-table',
  'money/rules/payouts/check-file',
  'money/fleet/row-decision',
  'money/rules/pay/plan-file',
  'money/fleet/batch-guard',
  'money/rules/pay/slots',
  'money/rules/pay/throttle',
  'money/rules/payouts/broken-journal',
  'money/rules/pay/by-hand',
  'money/rules/payouts/customer-list',
  'money/rules/payouts/payout-file',
  'money/rules/pay/pay',
  'money/rules/payouts/preview',
  'money/rules/pay/create-transaction',
  'money/rules/pay/adopted-payee',
  'money/fleet/asked-before-send',
  'money/rules/pay/approved-price',
  'money/rules/pay/payment-fields',
  'money/rules/pay/receive',
  'money/rules/payouts/result-file',
  'money/rules/pay/match-payments',
  'money/rules/payouts/checks',
  'money/rules/pay/route',
  'money/rules/pay/made-and-meant',
  'money/rules/pay/reconcile',
  'money/rules/payouts/run',
  'money/evidence/controls',
  'money/planted-lies',
  'money/rules/pay/settle',
  'money/rules/payouts/mistakes',
  'money/evidence/shown-is-signed',
  'client/write-gate',
  'features/profiles/write-policy',
  'features/profiles/service-identity',
  'money/evidence/policy',
  'money/rules/pay/limits',
  'money/stories',
  'money/evidence/policy-sequences',
  'money/evidence/check-approvals',
  'money/rules/pay/limit-edges',
  'money/commands',
  'money/evidence/approve',
].map((name) => `test/${name}.test.ts`)

const rank = ({moduleId}: TestSpecification) => tests.findIndex((test) => moduleId.endsWith(test))

class QuickestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => rank(one) - rank(other))
  }
}

// The programs that tests spawn are not the ones with the fault, so they are not built anew.
const {globalSetup: _, ...shared} = config.test ?? {}

// A fault may make a test wait for ever, which would cost minutes each time.
const testTimeout = 60_000

export default defineConfig({
  ...config,
  test: {...shared, include: tests, testTimeout, sequence: {sequencer: QuickestFirst}},
})
