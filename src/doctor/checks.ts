// All that doctor looks at, in the order in which it does.
import type {Check} from './run-checks.ts'
import {
  checkAddress,
  checkCredential,
  checkNetwork,
  checkNodeVersion,
  checkProfile,
  checkSandbox,
  checkSecrets,
  checkSettings,
} from './local-checks.ts'
import {checkFileModes} from './file-modes-check.ts'
import {checkAccepted, checkClock, checkPaging, checkReachable, checkReadPaths} from './service-checks.ts'
import {
  checkAccountsDrift,
  checkCustomerDrift,
  checkCustomersDrift,
  checkRulesDrift,
  checkTransactionsDrift,
} from './drift-checks.ts'

const inService = ['reachable', 'accepted']

export const checks: readonly Check[] = [
  {name: 'node', run: checkNodeVersion},
  {name: 'settings', run: checkSettings},
  {name: 'secrets', run: checkSecrets},
  {name: 'file-modes', run: checkFileModes},
  {name: 'profile', run: checkProfile},
  {name: 'address', after: ['profile'], run: checkAddress},
  {name: 'credential', after: ['profile'], run: checkCredential},
  {name: 'network', after: ['profile'], run: checkNetwork},
  {name: 'sandbox', run: checkSandbox},
  {name: 'reachable', after: ['profile', 'network', 'sandbox'], run: checkReachable},
  // Also where the service said no: a clock that is wrong may be the reason.
  {name: 'clock', after: ['profile'], run: checkClock},
  {name: 'accepted', after: ['reachable', 'credential'], run: checkAccepted},
  {name: 'paging', after: inService, run: checkPaging},
  {name: 'drift-customers', after: inService, run: checkCustomersDrift},
  {name: 'read-paths', after: inService, run: checkReadPaths},
  {name: 'drift-customer', after: [...inService, 'read-paths'], run: checkCustomerDrift},
  {name: 'drift-accounts', after: inService, run: checkAccountsDrift},
  {name: 'drift-transactions', after: inService, run: checkTransactionsDrift},
  {name: 'drift-rules', after: inService, run: checkRulesDrift},
]
