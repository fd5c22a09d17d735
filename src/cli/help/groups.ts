// The order in which help shows commands: by what people want to do.

interface CommandGroup {
  title: string
  // Topics and commands, each with a line of its own.
  commands: readonly string[]
  // Those that are needed rarely are only named.
  also?: readonly string[]
}

// A test checks that every command is in one of them.
export const commandGroups: readonly CommandGroup[] = [
  {
    title: 'Every day',
    commands: ['status', 'customers', 'pay', 'open', 'docs', 'login'],
    also: ['template', 'tour', 'whoami', 'logout', 'profiles', 'autocomplete'],
  },
  {title: 'Money', commands: ['accounts', 'quotes', 'transactions', 'payouts']},
  {title: 'Automation', commands: ['rules', 'events']},
  {title: 'Oversight', commands: ['policy', 'approve', 'journal', 'reconcile', 'report', 'console', 'doctor']},
  {title: 'Developers', commands: ['sandbox', 'api'], also: ['codes', 'mcp']},
]
