// Modules that are loaded together, such as those of nearly every command. The build puts each group into one file, since each
// further file costs a command a fraction of a millisecond. A module that only some commands of its group use does not belong to
// it: it would cost the others more. `strace -f -e openat` shows which files a command loads.

// The names of modules by their folder in src.
type Sources = Readonly<Record<string, string>>

// What every command loads.
const core: Sources = {
  '': 'embedded-fetch errors transport',
  cli: 'after-output argv capture command exit-notice main prevent-exit-hang request-notices',
  'cli/help': 'help-source',
  'cli/flags': 'dry-run durations environment shared',
  'cli/output':
    'clean colour filters find-column format-values formats limit-heap-growth merge-pages output-flags outputs print progress ' +
    'reshape result streams suggest-profile view wrap-message write-json',
  client:
    'client connection describe-shape error-body failures http id-field idle-connections item-lines list-end look-up next-steps paging ' +
    'parse-reply read-reply retries scanned-pages seen-items send-request service-fetch validate-request wire-settings',
  contract:
    'amount-pattern enum-values limits loose match-body match-shape payment-bodies.frozen shape uuid wire.frozen',
  customers: 'search-fields view',
  profiles:
    'base-url caller cool-down credentials duplicate-window folder-profile key-trust profiles secrets service-knowledge service-traits ' +
    'spending-limits update-service write-gate write-policy',
  storage: 'folders private-file read-regular-file scratch-file settings-file',
  validation: 'exact-json instants loopback shell-quote',
}

// What reads and writes SQLite files: the sandbox and the journal.
const sqlite: Sources = {storage: 'busy create-sqlite-file prepared-statement sqlite sqlite-error'}

const table: Sources = {'cli/output': 'fit-columns table'}

const transactionViews: Sources = {
  customers: 'customer-names',
  transactions: 'format-amounts format-instructions view',
}

// The journal in a file, for every command that reads it.
const journal: Sources = {
  payments: 'lease-owner payment payment-content read-text',
  'payments/journal': 'chain former-ids newest-first open-journal payment-text state-conditions',
  'payments/journal/sqlite':
    'file findings group-commit group-sync grouped-journal history leases list-query open-sqlite-journal payees read-payments reservations schema spent-amounts sqlite-journal write-payment',
  profiles: 'journal',
  storage: 'journal-address read-only-sqlite',
  'storage/postgres': 'address',
}

// What reads bodies and says what is wrong with them. Valid bodies of payments need no schemas.
const bodies: Sources = {
  'cli/body': 'accept-warnings body coerce-to-schema suggest-fields',
  'cli/flags': 'body-flags',
  'cli/wizard': 'body-paths',
  contract: 'body-schemas payment-methods problems removed-fields',
}

const schemas: Sources = {contract: 'date-message json-schema methods quotes scalars'}

// The path of one payment.
const payment: Sources = {
  accounts: 'accepted-routes find-account id-resolver',
  'cli/ids': 'finder',
  customers: 'find-customer',
  payments:
    'approve-plan attempt bad-ending change-content cool-down differences duplicates exit-notice fee-max fetch-quote find-transaction ' +
    'format-time journal-failure lease limits manual-settlement note-bad-ending notices notify-payments objections open-context ' +
    'paid-elsewhere pay payment-errors plan quote-key record recorded-controls retry-after send send-outcome server-clock ' +
    'service settle slot-time slots with-approval-notice witness',
  'payments/journal': 'decision',
  profiles: 'check-spending controls',
  quotes: 'complete-route name-fields quote-body resolve-ids resolve-route route-fields',
  transactions: 'magic-ending',
}

// The sandbox, as far as every request to it needs it.
const sandbox: Sources = {
  contract: 'customer-statuses issue-codes',
  sandbox: 'controls handlers operation sandbox tasks',
  'sandbox/customers':
    'controls customer-status customer-store endpoints issues magic-values merge-data schema verification verification-checks',
  'sandbox/faults': 'apply-fault behaviours controls faults kinds late-commit request-pattern schema',
  'sandbox/forms': 'branding links schema',
  'sandbox/http': 'access-token app credential exchange paging requests routes serialized-json service-error',
  'sandbox/log': 'controls redact request-log schema',
  'sandbox/money':
    'account-store accounts addresses controls currencies decimal fees idempotency ledger prices quote-store quotes route-checks ' +
    'rule-transactions schema settlement stand-in step-times transaction-store transactions transfer-instructions transitions',
  'sandbox/pages': 'assets page-routes',
  'sandbox/rules': 'endpoints firing rule-store schema template-checks thresholds',
  'sandbox/seed': 'demo-data demo-money history seed',
  'sandbox/server': 'address-file',
  'sandbox/snapshots': 'controls difference image snapshots',
  'sandbox/store': 'database ids organizations row-cache schema settings status-changes',
  'sandbox/time': 'clock controls pending-queue queue task-heap',
  'sandbox/webhooks': 'controls delivery-store direct-delivery emit endpoint-store event-store lease schema',
}

const toFiles = (sources: Sources) =>
  new Set(
    Object.entries(sources).flatMap(([folder, names]) =>
      names.split(' ').map((name) => ['src', folder, `${name}.ts`].filter((part) => part !== '').join('/')),
    ),
  )

interface Group {
  name: string
  sources?: Sources
  packages?: RegExp
}

// What slim.ts puts in the place of other modules takes a line each, and so does the runtime of the bundle.
const groups: readonly Group[] = [
  {
    name: 'core',
    sources: core,
    packages:
      /\/node_modules\/(?:ofetch|ufo|destr)\/|\/@oclif\/core\/lib\/(?:(?:args|cache|command|flags|settings)\.js|parser\/|errors\/|util\/(?:aggregate-flags|fs|util)\.js)|^\0slim:|^\0svc:start$|rolldown\/runtime/,
  },
  {name: 'table-layout', sources: {'cli/output': 'table-layout'}, packages: /\/(?:cli-table3|@colors\/colors)\//},
  {
    name: 'table',
    sources: table,
    packages: /\/node_modules\/(?:ansi-regex|strip-ansi|is-fullwidth-code-point|emoji-regex|string-width)\//,
  },
  {name: 'money', sources: {validation: 'money'}, packages: /\/node_modules\/big\.js\//},
  {name: 'sqlite', sources: sqlite},
  {name: 'bodies', sources: bodies},
  {name: 'transaction-views', sources: transactionViews},
  {name: 'journal', sources: journal},
  {name: 'schemas', sources: schemas, packages: /\/node_modules\/zod\//},
  {name: 'payment', sources: payment},
  {
    name: 'sandbox',
    sources: sandbox,
    packages: /\/node_modules\/hono\/dist\/(?:utils\/url|router(?:\/utils|\/reg-exp-router\/\w+)?)\.js$/,
  },
]

// As the bundler takes them.
export const moduleGroups = groups.map(({name, sources = {}, packages}) => {
  const files = toFiles(sources)
  return {
    name,
    test: (id: string) => {
      const path = id.replaceAll('\\', '/')
      return files.has(path.slice(path.lastIndexOf('/src/') + 1)) || (packages?.test(path) ?? false)
    },
  }
})
