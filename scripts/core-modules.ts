// The modules that nearly every command loads. The build puts them into one file, since each further file costs a command a
// fraction of a millisecond. What only some commands use does not belong here: it would cost the others more.

const sources: Readonly<Record<string, string>> = {
  '': 'embedded-fetch errors transport',
  cli: 'capture command exit-notice request-notices',
  'cli/flags': 'dry-run durations environment shared',
  'cli/output':
    'clean colour filters find-column format-values formats limit-heap-growth merge-pages output-flags outputs print progress ' +
    'reshape suggest-profile view wrap-message write-json',
  client:
    'client connection describe-shape error-body failures http id-field item-lines list-end look-up next-steps paging ' +
    'parse-reply read-reply retries scanned-pages seen-items send-request service-fetch validate-request wire-settings',
  contract: 'enum-values limits loose match-shape shape uuid wire.frozen',
  customers: 'search-fields view',
  profiles:
    'base-url caller cool-down credentials duplicate-window folder-profile key-trust profiles secrets service-knowledge service-traits ' +
    'spending-limits update-service write-gate write-policy',
  storage: 'folders private-file read-regular-file settings-file',
  validation: 'exact-json instants loopback shell-quote',
}

const packages = /\/node_modules\/(?:ofetch|ufo|destr)\//
const oclif =
  /\/@oclif\/core\/lib\/(?:(?:args|cache|command|flags|settings)\.js|parser\/|errors\/|util\/(?:aggregate-flags|fs|util)\.js)/

const files = new Set(
  Object.entries(sources).flatMap(([folder, names]) =>
    names.split(' ').map((name) => ['src', folder, `${name}.ts`].filter((part) => part !== '').join('/')),
  ),
)

// What slim.ts puts in the place of other modules takes a line each.
const isReplaced = (id: string) => id.startsWith('\0slim:')

export function isCoreModule(id: string): boolean {
  const path = id.replaceAll('\\', '/')
  return (
    files.has(path.slice(path.lastIndexOf('/src/') + 1)) || packages.test(path) || oclif.test(path) || isReplaced(id)
  )
}
