// Modules that are loaded together, such as those of nearly every command. The build puts each group into one file, since each
// further file costs a command a fraction of a millisecond. A group is named by a few modules and has everything that they
// import, except what an earlier group has, what they import only when they need it, and packages that it does not name. A
// module that only some commands of its group use costs the others more. `strace -f -e openat` shows which files a command loads.
import path from 'node:path'
import type {ChunkingContext, CodeSplittingGroup} from 'rolldown'
import {root} from './surface.ts'

interface Group {
  name: string
  // Files in src.
  roots: readonly string[]
  packages?: RegExp
}

// What others import comes first. Two entries of one name are one group.
const groups: readonly Group[] = [
  // What help needs, besides help itself.
  {name: 'main', roots: ['cli/main', 'cli/output/colour'], packages: /^\0svc:start$|rolldown\/runtime/},
  {
    // What every command loads. What slim.ts puts in the place of other modules takes a line each.
    name: 'core',
    roots: [
      'cli/command',
      'cli/output/filters',
      'cli/output/result',
      'contract/enum-values',
      'contract/loose',
      'contract/vocabulary',
      'customers/answers',
      'customers/view',
      'embedded-fetch',
      'transport',
    ],
    packages:
      /\/node_modules\/(?:ofetch|ufo|destr)\/|\/@oclif\/core\/lib\/(?:(?:args|cache|command|flags|settings)\.js|parser\/|errors\/|util\/(?:aggregate-flags|fs|util)\.js)|^\0slim:/,
  },
  // A table that is printed row by row needs no layout.
  {name: 'table-layout', roots: ['cli/output/table-layout'], packages: /\/(?:cli-table3|@colors\/colors)\//},
  {
    name: 'table',
    roots: ['cli/output/table'],
    packages: /\/node_modules\/(?:ansi-regex|strip-ansi|is-fullwidth-code-point|emoji-regex|string-width)\//,
  },
  {name: 'money', roots: ['values/money'], packages: /\/node_modules\/big\.js\//},
  // What reads and writes SQLite files: the sandbox and the journal.
  {name: 'sqlite', roots: ['storage/sqlite']},
  {name: 'schemas', roots: ['contract/json-schema', 'contract/quotes'], packages: /\/node_modules\/zod\//},
  // What reads bodies and says what is wrong with them. Valid bodies of payments need no schemas.
  {
    name: 'bodies',
    roots: [
      'cli/body/reject-problems',
      'cli/body/body',
      'cli/flags/body-flags',
      'values/body-paths',
      'contract/problems',
    ],
  },
  {name: 'transaction-views', roots: ['transactions/view']},
  // The journal in a file, for every command that reads it.
  {name: 'journal', roots: ['payments/journal/open-journal', 'payments/journal/walk']},
  // The path of one payment. Only a payment from a file needs the schema of one, and zod with it.
  {name: 'payment', roots: ['payments/protocol/limits', 'payments/protocol/payment']},
  {name: 'plan-file', roots: ['payments/pay/plan-file']},
  {
    name: 'payment',
    roots: [
      'payments/context/approve-plan',
      'bind-policy',
      'payments/pay/plan',
      'payments/context/objections',
      'payments/protocol/drive',
      'payments/pay/report',
      'payments/context/notify-payments',
      'payments/context/open-context',
      'quotes/complete-route',
      'transactions/watch',
    ],
  },
  // Long, and only some requests to the sandbox need it.
  {name: 'currencies', roots: ['values/currencies'], packages: /\/node_modules\/(?:currency-codes|nub)\//},
  // What only a submission of verification data needs.
  {name: 'countries', roots: ['values/countries'], packages: /\/node_modules\/iso-3166\//},
  {name: 'identifiers', roots: ['values/identifiers'], packages: /\/node_modules\/(?:libphonenumber-js|ibantools)\//},
  {
    name: 'verification-data',
    roots: ['values/verification-data'],
    packages: /\/node_modules\/postcode-validator\//,
  },
  // The sandbox, as far as every request to it needs it.
  {name: 'sandbox', roots: ['sandbox/sandbox']},
]

const source = path.join(root, 'src') + path.sep

// The name of the group of each module in src that has one.
function groupModules(context: ChunkingContext): Map<string, string> {
  const names = new Map<string, string>()
  const add = (id: string, name: string): void => {
    if (!id.startsWith(source) || names.has(id)) return
    names.set(id, name)
    for (const imported of context.getModuleInfo(id)?.importedIds ?? []) add(imported, name)
  }
  for (const {name, roots} of groups) {
    for (const file of roots) {
      const id = path.join(source, `${file}.ts`)
      if (!context.getModuleInfo(id))
        throw new Error(`scripts/module-groups.ts names src/${file}.ts, which nothing imports`)
      add(id, name)
    }
  }
  return names
}

// As the bundler takes it, once for each bundle.
export function createModuleGroup(): CodeSplittingGroup {
  let names: Map<string, string> | undefined
  return {
    name: (id, context) => {
      names ??= groupModules(context)
      const file = id.replaceAll('\\', '/')
      return names.get(id) ?? groups.find(({packages}) => packages?.test(file))?.name ?? null
    },
  }
}
