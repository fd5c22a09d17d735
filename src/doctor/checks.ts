// All that doctor looks at, in the order in which it does.
import type {Check} from './checkup.ts'
import {address, credential, network, nodeVersion, profile, sandbox, secrets, settings} from './local.ts'
import {fileModes} from './modes.ts'
import {accepted, clock, paging, reachable, readPaths} from './service.ts'
import {accountDrift, customerDrift, customersDrift, rulesDrift, transactionsDrift} from './drift.ts'

const inService = ['reachable', 'accepted']

export const checks: readonly Check[] = [
  {name: 'node', examine: nodeVersion},
  {name: 'settings', examine: settings},
  {name: 'secrets', examine: secrets},
  {name: 'file-modes', examine: fileModes},
  {name: 'profile', examine: profile},
  {name: 'address', after: ['profile'], examine: address},
  {name: 'credential', after: ['profile'], examine: credential},
  {name: 'network', after: ['profile'], examine: network},
  {name: 'sandbox', examine: sandbox},
  {name: 'reachable', after: ['profile', 'network', 'sandbox'], examine: reachable},
  // Also where the service said no: a clock that is wrong may be the reason.
  {name: 'clock', after: ['profile'], examine: clock},
  {name: 'accepted', after: ['reachable', 'credential'], examine: accepted},
  {name: 'paging', after: inService, examine: paging},
  {name: 'drift-customers', after: inService, examine: customersDrift},
  {name: 'read-paths', after: inService, examine: readPaths},
  {name: 'drift-customer', after: [...inService, 'read-paths'], examine: customerDrift},
  {name: 'drift-accounts', after: inService, examine: accountDrift},
  {name: 'drift-transactions', after: inService, examine: transactionsDrift},
  {name: 'drift-rules', after: inService, examine: rulesDrift},
]
