// The checks of `svc doctor`, in the order in which they run.
import type {Check} from './run-checks.ts'
import {
  checkAddress,
  checkCredential,
  checkNetwork,
  checkNodeVersion,
  checkProfile,
  checkSandbox,
  checkSecrets,
  checkService,
  checkSettings,
} from './local-checks.ts'
import {checkFileModes} from './file-modes-check.ts'
import {checkJournal} from './journal-check.ts'
import {checkNotify} from './notify-check.ts'
import {checkKnowledge} from './knowledge-check.ts'
import {checkAccepted, checkClock, checkPaging, checkReachable, checkReadPaths} from './service-checks.ts'
import {
  checkAccountsDrift,
  checkCustomerDrift,
  checkCustomersDrift,
  checkRulesDrift,
  checkShapes,
  checkTransactionsDrift,
} from './drift-checks.ts'

const needsService = ['reachable', 'accepted']

export const checks: readonly Check[] = [
  {name: 'node', run: checkNodeVersion},
  {name: 'settings', run: checkSettings},
  {name: 'secrets', run: checkSecrets},
  {name: 'file-modes', run: checkFileModes},
  {name: 'profile', run: checkProfile},
  {name: 'address', after: ['profile'], run: checkAddress},
  {name: 'service', after: ['profile'], run: checkService},
  {name: 'credential', after: ['profile'], run: checkCredential},
  {name: 'journal', after: ['profile'], run: checkJournal},
  {name: 'notify', after: ['profile'], run: checkNotify},
  {name: 'network', after: ['profile'], run: checkNetwork},
  {name: 'sandbox', run: checkSandbox},
  {name: 'knowledge', after: ['profile', 'sandbox'], run: checkKnowledge},
  {name: 'reachable', after: ['profile', 'network', 'sandbox'], run: checkReachable},
  // Runs even if the service refused the request, since a wrong clock may be the reason.
  {name: 'clock', after: ['profile'], run: checkClock},
  {name: 'accepted', after: ['reachable', 'credential'], run: checkAccepted},
  {name: 'paging', after: needsService, run: checkPaging},
  {name: 'drift-customers', after: needsService, run: checkCustomersDrift},
  {name: 'read-paths', after: needsService, run: checkReadPaths},
  {name: 'drift-customer', after: [...needsService, 'read-paths'], run: checkCustomerDrift},
  {name: 'drift-accounts', after: needsService, run: checkAccountsDrift},
  {name: 'drift-transactions', after: needsService, run: checkTransactionsDrift},
  {name: 'drift-rules', after: needsService, run: checkRulesDrift},
  {name: 'shapes', run: checkShapes},
]
