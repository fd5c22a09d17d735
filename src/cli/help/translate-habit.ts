// Translates a command that people know from another tool into ours, such as `payments list` or `get customers`.

// Other words for our topics.
const nouns: Readonly<Record<string, string>> = {
  customer: 'customers',
  client: 'customers',
  clients: 'customers',
  users: 'customers',
  payment: 'transactions',
  payments: 'transactions',
  transaction: 'transactions',
  transfer: 'transactions',
  transfers: 'transactions',
  charges: 'transactions',
  payment_intents: 'transactions',
  account: 'accounts',
  wallet: 'accounts',
  wallets: 'accounts',
  beneficiaries: 'accounts',
  quote: 'quotes',
  rule: 'rules',
  automation: 'rules',
  automations: 'rules',
  payout: 'payouts',
  batch: 'payouts',
  batches: 'payouts',
  schedule: 'schedules',
  cron: 'schedules',
  cronjob: 'schedules',
  cronjobs: 'schedules',
  event: 'events',
  webhook: 'events',
  webhooks: 'events',
  profile: 'profiles',
  config: 'profiles',
  context: 'profiles',
  contexts: 'profiles',
}

// Other words for our verbs. The first one that the topic has is meant.
const verbs: Readonly<Record<string, readonly string[]>> = {
  list: ['list', 'watch', 'status'],
  ls: ['list', 'watch', 'status'],
  all: ['list'],
  search: ['find', 'list'],
  get: ['get', 'show'],
  show: ['get', 'show', 'list'],
  view: ['get', 'show', 'list'],
  describe: ['get', 'show'],
  retrieve: ['get', 'show'],
  inspect: ['get', 'show'],
  create: ['create', 'run', 'listen'],
  new: ['create', 'run'],
  add: ['create', 'run'],
  update: ['update', 'set'],
  edit: ['update', 'set'],
  set: ['set', 'update'],
  patch: ['update'],
  delete: ['delete', 'remove'],
  rm: ['delete', 'remove'],
  remove: ['remove', 'delete'],
  tail: ['watch', 'listen'],
  wait: ['watch'],
  apply: ['apply', 'run'],
  use: ['use'],
  'use-context': ['use'],
}

// Whole commands. The first of ours that exists is meant.
const commands: Readonly<Record<string, readonly string[]>> = {
  'payment create': ['pay'],
  'payments create': ['pay'],
  'payments send': ['pay'],
  'transfers create': ['pay'],
  send: ['pay'],
  transfer: ['pay'],
  listen: ['events listen'],
  trigger: ['events trigger', 'sandbox verify'],
  'webhooks listen': ['events listen'],
  'webhooks trigger': ['events trigger', 'sandbox verify'],
  'events list': ['events list', 'events watch'],
  'events tail': ['events watch'],
  'logs tail': ['sandbox requests --follow'],
  logs: ['sandbox requests'],
  fixtures: ['sandbox seed'],
  login: ['login'],
  logout: ['logout', 'profiles remove'],
  signin: ['login'],
  configure: ['login'],
  init: ['login'],
  auth: ['login'],
  'auth login': ['login'],
  'auth logout': ['logout', 'profiles remove'],
  'auth status': ['whoami'],
  'auth whoami': ['whoami'],
  'auth switch': ['profiles use'],
  'auth token': ['sandbox token'],
  me: ['whoami'],
  balance: ['balance', 'accounts list'],
  balances: ['balance', 'accounts list'],
  config: ['profiles list'],
  'config list': ['profiles list'],
  'config get': ['profiles show'],
  'config set': ['profiles set'],
  'config use-context': ['profiles use'],
  switch: ['profiles use'],
  use: ['profiles use'],
  ls: ['customers list'],
  list: ['customers list'],
  completion: ['autocomplete'],
  man: ['docs', 'help'],
  status: ['status', 'doctor'],
  ping: ['doctor'],
  open: ['open', 'customers open'],
  history: ['journal list'],
  'payouts check': ['payouts run --dry-run'],
  'payouts validate': ['payouts run --dry-run'],
  'payouts preview': ['payouts run --dry-run'],
}

const methods = new Set(['get', 'post', 'patch', 'put', 'delete'])

type IsCommand = (name: string) => boolean

const withoutFlags = (command: string) => command.replace(/ -.*$/, '')

interface Translation {
  command: string
  // How many of the typed words it stands for. The others are arguments.
  wordCount: number
}

// `customers show` and, as kubectl has it, `describe customer`. `get customers` without a name is a list.
function translateNounAndVerb(
  first: string,
  second: string,
  isAlone: boolean,
  isCommand: IsCommand,
): string | undefined {
  const isVerbFirst = Object.hasOwn(verbs, first)
  const [noun, verb] = isVerbFirst ? [second, first] : [first, second]
  const topic = Object.hasOwn(nouns, noun) ? nouns[noun] : noun
  const known = Object.hasOwn(verbs, verb) ? (verbs[verb] ?? []) : [verb]
  const wanted = isVerbFirst && verb === 'get' && isAlone ? ['list', ...known] : known
  return wanted.map((name) => `${topic} ${name}`).find(isCommand)
}

function translate(words: readonly string[], isCommand: IsCommand): Translation | undefined {
  const [first = '', second = ''] = words.map((word) => word.toLowerCase())
  if (methods.has(first) && second.startsWith('/')) return {command: `api ${first.toUpperCase()}`, wordCount: 1}
  for (const [typed, wordCount] of [
    [`${first} ${second}`, 2],
    [first, 1],
  ] as const) {
    const found = Object.hasOwn(commands, typed)
      ? commands[typed]?.find((name) => isCommand(withoutFlags(name)))
      : undefined
    // One word alone stands for itself; with another one behind it, a topic may be meant.
    if (found && (wordCount === 2 || second === '')) return {command: found, wordCount}
    if (wordCount === 2 && second !== '') {
      const command = translateNounAndVerb(first, second, words.length === 2, isCommand)
      if (command) return {command, wordCount}
    }
    if (found && wordCount === 1) return {command: found, wordCount}
  }
  const topic = Object.hasOwn(nouns, first) ? nouns[first] : undefined
  return topic !== undefined && second === '' ? {command: topic, wordCount: 1} : undefined
}

// `words` are what was typed, without flags. Returns our command with the same arguments.
export function translateHabit(words: readonly string[], isCommand: IsCommand): string | undefined {
  const found = translate(words, isCommand)
  return found && [found.command, ...words.slice(found.wordCount)].join(' ')
}
