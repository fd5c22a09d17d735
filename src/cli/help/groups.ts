// The order in which help, the documentation and the site show commands and pages: by what people want to do.

export interface CommandGroup {
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
  {title: 'Developers', commands: ['sandbox', 'api'], also: ['codes', 'mcp', 'metrics']},
]

// The commands of a topic that has many.
export const topicGroups: Readonly<Record<string, readonly CommandGroup[]>> = {
  sandbox: [
    {title: 'Begin', commands: ['start', 'status', 'seed', 'reset', 'token']},
    {title: 'Customers', commands: ['verify', 'document', 'magic', 'branding']},
    {title: 'Money', commands: ['accounts', 'fund', 'settle']},
    {title: 'Time', commands: ['clock', 'snapshot']},
    {title: 'Failures', commands: ['faults', 'requests']},
    {title: 'Events', commands: ['webhooks']},
  ],
}

export interface PageGroup {
  title: string
  // Pages by task, each with a line of its own.
  tasks: readonly string[]
  // Pages to look things up in.
  reference: readonly string[]
}

// The pages of docs/ in the order of reading. Those of the last group are for developers alone.
export const pageGroups: readonly PageGroup[] = [
  {
    title: 'Every day',
    tasks: [
      'everyday',
      'tasks/pay-an-invoice',
      'tasks/pay-somebody-new',
      'tasks/take-on-a-business',
      'tasks/correct-a-verification',
    ],
    reference: ['install', 'kyc', 'ids', 'output', 'profiles', 'exit-codes', 'commands'],
  },
  {
    title: 'Money',
    tasks: ['tasks/pay-a-payroll', 'tasks/what-happened-to-a-payment'],
    reference: ['payouts', 'paying-once'],
  },
  {
    title: 'Automation',
    tasks: ['tasks/pay-every-month', 'tasks/be-told'],
    reference: ['automation', 'rules', 'fleet', 'notifications', 'postgres'],
  },
  {
    title: 'Oversight',
    tasks: ['tasks/let-others-approve', 'tasks/close-the-month'],
    reference: ['approvals', 'accounting', 'audit', 'console', 'security'],
  },
  {
    title: 'Developers',
    tasks: [],
    reference: ['sandbox', 'sandbox-control', 'events', 'library', 'agents', 'assumptions', 'performance', 'model'],
  },
]
