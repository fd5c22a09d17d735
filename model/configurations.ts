// The configurations in which the model is checked: which settings of payments.pml each has, and what Spin must find.

// The names of the invariants, by what their assertions contain.
export const invariants = {
  'one transaction': /isSecond|request\[\d\]\.key\+1|excused/,
  'what was denied is not made': /isDenied|origin/,
  'code 0 is its own transaction': /mine\.made|row\[.*\.state==4/,
} as const

export type Invariant = keyof typeof invariants

export interface Configuration {
  name: string
  settings: Readonly<Record<string, number>>
  // The invariant that is violated. None if the protocol holds.
  violates?: Invariant
  // Only in the long search.
  isLong?: boolean
}

const honoured = 1
const perBody = 2
const ignored = 4
const anyKeys = honoured + perBody + ignored
const onceOrMany = 3
const once = 1
const many = 2
const nothingOrTruth = 3
const stated = 4

// One process with a journal, run and killed as often as can be, and a service that ignores keys, makes many transactions from a
// quote, and lists in time. A quote lives as long as a transaction may take to be listed.
const base = {
  CRASHES: 1,
  QUOTES_MAX: 2,
  REQUESTS_MAX: 2,
  KEYS: ignored,
  QUOTES: many,
  KNOWN: 1,
  QUOTE_LIFE: 1,
  LISTING_TIME: 1,
  LIST_LAG: 1,
  QUOTES_AGAIN: 1,
}

// Two processes or hosts, which run once each.
const pair = {...base, RUNS: 1, CRASHES: 0}
const shared = {...pair, TWO_PROCESSES: 1}
const hosts = {...pair, TWO_HOSTS: 1}
const single = {QUOTES_MAX: 1}

// Two hosts that look at a list which shows a transaction at once. A tick is short here: no quote expires.
const race = {...hosts, QUOTE_LIFE: 0, LIST_LAG: 0, RACE_EXCUSED: 1}
const failover = {...pair, FAILOVER: 1}
const ahead = {...base, DATE_AHEAD: 4, QUOTE_LIFE: 2}
const cache = {...pair, ...single, TWO_KEYS: 1, QUOTE_CACHE: 1, QUOTES: once, LIST_LAG: 0}
const moving = {...base, ORDER_BY_UPDATE: 1, LIST_LAG: 0}
// A refusal is believed after one look at the list, which shows at once what was made all the same.
const refusing = {...base, REFUSES: 1, REFUSES_AFTER_COMMIT: 1, LIST_LAG: 0}

// Other payments of the customer read the list at any time, and the journal remembers it.
const remembering = {...base, MEMORY: 1}
const rememberingRace = {...race, MEMORY: 1, LISTING_TIME: 0}
const rememberingLate = {...race, MEMORY: 1, LIST_LAG: 1}
const rememberingKeys = {...cache, MEMORY: 1, LISTING_TIME: 0}
// Without a correlationId the journal knows its transactions by its quotes alone.
const nameless = {...remembering, CORRELATION_DROPPED: 1}
const lostLongAgo = {...remembering, JOURNAL_LOST: 2}
// Page by page, while transactions move.
const paged = {...lostLongAgo, CRASHES: 0, RUNS: 2, MEMORY: 4, ORDER_BY_UPDATE: 1, LIST_LAG: 0, LISTING_TIME: 0}

// The protocol as it is, under the assumptions of docs/paying-once.md.
const holding: Configuration[] = [
  {name: 'one host', settings: base},
  {name: 'one host, keys honoured for a body', settings: {...base, ...single, KEYS: perBody, KNOWN: 2}},
  {name: 'one host, refusals, also after the commit', settings: refusing},
  {name: 'one host, a list that fails', settings: {...base, LIST_FAILS: 1}},
  {name: 'one host, a list ordered by update', settings: moving},
  {name: 'one host, one clock ahead', settings: ahead},
  {
    name: 'one host, expired quotes executed, keys honoured',
    settings: {...base, EXPIRED_ACCEPTED: 1, KEYS: honoured, CODES_EXCUSED: 1},
  },
  {
    name: 'one host, a list that lags too long, keys honoured',
    settings: {...base, LIST_LAG: 5, KEYS: honoured, CODES_EXCUSED: 1},
  },
  {name: 'a failover that forgets, one run', settings: failover},
  {name: 'a failover that forgets, keys honoured', settings: {...failover, ...single, KEYS: honoured, RUNS: 2}},
  {name: 'a lost journal, keys honoured', settings: {...base, ...single, JOURNAL_LOST: 1, KEYS: honoured}},
  {name: 'two keys, one quote for both', settings: cache},
  {name: 'two processes, one journal', settings: {...shared, ...single}},
  {name: 'two machines, one journal', settings: {...shared, ...single, LEASE_EXPIRES: 1}},
  {name: 'two hosts, keys honoured', settings: {...hosts, ...single, KEYS: honoured}},
  {name: 'two hosts, keys ignored: two only at once', settings: race},
  {name: 'a list remembered', settings: remembering},
  {name: 'a list remembered, no correlationId', settings: nameless},
  {name: 'a list remembered, a journal lost long ago', settings: lostLongAgo},
  {name: 'a list remembered, a failover that forgets', settings: {...failover, MEMORY: 1}},
  {name: 'a list remembered page by page', settings: paged},
  {name: 'a list remembered, two keys', settings: {...rememberingKeys, QUOTE_LIFE: 0}},
  {
    name: 'a list remembered, two hosts: two only at once',
    settings: {...rememberingRace, REQUESTS_MAX: 1},
  },
  {
    name: 'one host, any service',
    settings: {...base, KEYS: anyKeys, QUOTES: onceOrMany, KNOWN: nothingOrTruth, REFUSES: 1},
    isLong: true,
  },
  {name: 'one host, three quotes and requests', settings: {...refusing, QUOTES_MAX: 3, REQUESTS_MAX: 3}, isLong: true},
  {name: 'one host, any fault of the list', settings: {...refusing, ORDER_BY_UPDATE: 1, LIST_FAILS: 1}, isLong: true},
  {
    name: 'two keys, one quote for both, then others',
    settings: {...cache, QUOTES: onceOrMany, QUOTES_MAX: 2, LIST_LAG: 1},
    isLong: true,
  },
  {
    name: 'two keys, no correlationId',
    settings: {...cache, QUOTES_MAX: 2, LIST_LAG: 1, QUOTE_CACHE: 0, CORRELATION_DROPPED: 1},
    isLong: true,
  },
  {name: 'two processes, one journal, killed', settings: {...shared, CRASHES: 1, RUNS: 2}, isLong: true},
  {name: 'two machines, one journal, two attempts', settings: {...shared, LEASE_EXPIRES: 1}, isLong: true},
  {name: 'two hosts, keys honoured, killed', settings: {...hosts, CRASHES: 1, KEYS: honoured}, isLong: true},
  {name: 'two hosts, keys honoured and known', settings: {...hosts, KEYS: honoured, KNOWN: 2}, isLong: true},
  {
    name: 'two hosts, a list by update: two only at once',
    settings: {...race, ORDER_BY_UPDATE: 1, SEARCH_AGE_MAX: 1},
    isLong: true,
  },
  {name: 'a list remembered, two keys, quotes that expire', settings: rememberingKeys, isLong: true},
  {name: 'a list remembered, two hosts, two requests', settings: rememberingRace, isLong: true},
  {name: 'a list remembered, two hosts, a memory each', settings: {...rememberingRace, MEMORY: 3}, isLong: true},
  {name: 'a list remembered, two hosts, listed late', settings: rememberingLate, isLong: true},
  {
    name: 'a list remembered page by page, killed',
    settings: {...paged, CRASHES: 1, RUNS: 0, LISTING_TIME: 1},
    isLong: true,
  },
]

// Each exception of docs/paying-once.md, by its letter there, when its assumption is switched off.
const exceptions: Configuration[] = [
  {
    name: '(d) refused, and made later',
    settings: {...base, QUOTE_LIFE: 2, REFUSES: 1, REFUSES_THEN_COMMITS: 1, CODES_EXCUSED: 1},
    violates: 'one transaction',
  },
  {
    name: '(d) refused, made all the same, and listed late',
    settings: {...refusing, LIST_LAG: 1, CODES_EXCUSED: 1},
    violates: 'one transaction',
  },
  {
    name: '(d) code 3 although it is made, and listed late',
    settings: {...refusing, LIST_LAG: 1, QUOTES_MAX: 1},
    violates: 'what was denied is not made',
  },
  {
    name: '(a) an expired quote executed',
    settings: {...base, EXPIRED_ACCEPTED: 1, CODES_EXCUSED: 1},
    violates: 'one transaction',
  },
  {name: '(b) a lost journal', settings: {...base, JOURNAL_LOST: 1}, violates: 'one transaction'},
  {name: '(b) a failover, run again', settings: {...failover, RUNS: 2, CODES_EXCUSED: 1}, violates: 'one transaction'},
  {name: '(c) two hosts', settings: hosts, violates: 'one transaction'},
  {name: '(c) two hosts, keys honoured for a body', settings: {...hosts, KEYS: perBody}, violates: 'one transaction'},
  {
    name: 'P4: a list that lags too long',
    settings: {...base, LIST_LAG: 5, CODES_EXCUSED: 1},
    violates: 'one transaction',
  },
  {name: 'keys stated as honoured, wrongly', settings: {...base, KNOWN: stated}, violates: 'one transaction'},
]

// The rules as they were before they were mended.
const findings: Configuration[] = [
  {name: 'T1 ownership by quote', settings: {...cache, OWNER_BY_QUOTE: 1}, violates: 'code 0 is its own transaction'},
  {
    name: 'T4 age from the end of a read',
    settings: {...race, AGE_FROM_END: 1, LIST_READ_ONCE: 1},
    violates: 'one transaction',
  },
  {name: 'T4 a second look without an age', settings: {...race, SECOND_LOOK_UNAGED: 1}, violates: 'one transaction'},
  {
    name: 'T5 the list read once',
    settings: {...moving, LIST_READ_ONCE: 1, CODES_EXCUSED: 1},
    violates: 'one transaction',
  },
  {
    name: 'T5 a search that stops at what was seen',
    settings: {...race, ORDER_BY_UPDATE: 1, SEEN_STOPS: 1},
    violates: 'one transaction',
  },
  {
    name: 'T6 a failover unnoticed',
    settings: {...failover, ROLLBACK_UNNOTICED: 1, CODES_EXCUSED: 1},
    violates: 'one transaction',
  },
  {
    name: 'T10 abandoned by one clock alone',
    settings: {...ahead, ABANDON_BY_DATE: 1, CODES_EXCUSED: 1},
    violates: 'one transaction',
  },
  {
    name: 'T10 code 6 by one clock alone',
    settings: {...ahead, ABANDON_BY_DATE: 1, QUOTES_MAX: 1},
    violates: 'what was denied is not made',
  },
]

// Rules left out or turned round. Each must be caught.
const mutations: Configuration[] = [
  {name: 'arm after send', settings: {...base, ARM_AFTER_SEND: 1, CODES_EXCUSED: 1}, violates: 'one transaction'},
  {
    name: 'no lease',
    settings: {...shared, QUOTE_LIFE: 0, NO_LEASE: 1, NO_LEASE_CHECK: 1, CODES_EXCUSED: 1},
    violates: 'one transaction',
  },
  {
    name: 'no lease check',
    settings: {...shared, QUOTE_LIFE: 0, LEASE_EXPIRES: 1, NO_LEASE_CHECK: 1, CODES_EXCUSED: 1},
    violates: 'one transaction',
  },
  {
    name: 'one list abandons',
    settings: {...base, LIST_LAG: 3, LISTING_TIME: 1, ONE_LIST_ABANDONS: 1, CODES_EXCUSED: 1},
    violates: 'one transaction',
  },
  {
    name: 'no listing time',
    settings: {...base, NO_LISTING_TIME: 1, LIST_LAG: 3, LISTING_TIME: 3, CODES_EXCUSED: 1},
    violates: 'one transaction',
  },
  {
    name: 'a timeout taken for unsent',
    settings: {...base, TIMEOUT_IS_UNSENT: 1},
    violates: 'what was denied is not made',
  },
  {
    name: 'ARMED taken for unsent',
    settings: {...base, ARMED_IS_UNSENT: 1, CODES_EXCUSED: 1},
    violates: 'one transaction',
  },
  {
    name: 'no search, no second look',
    settings: {...race, NO_SEARCH: 1, NO_SECOND_LOOK: 1},
    violates: 'one transaction',
  },
  {name: 'no second look', settings: {...race, NO_SECOND_LOOK: 1}, violates: 'one transaction'},
  {
    name: 'resend whatever is known',
    settings: {...base, RESEND_ALWAYS: 1, CODES_EXCUSED: 1},
    violates: 'one transaction',
  },
  {
    name: 'a refused resend believed',
    settings: {...base, ...single, QUOTES: 1, KNOWN: 2, REFUSES: 1, RESEND_REFUSAL_FINAL: 1},
    violates: 'what was denied is not made',
  },
  {
    name: 'a cut list proves absence',
    settings: {...moving, LIST_FAILS: 1, CUT_LIST_COUNTS: 1, CODES_EXCUSED: 1},
    violates: 'one transaction',
  },
  {
    name: 'code 0 before the commit',
    settings: {...base, ...single, REPORT_BEFORE_COMMIT: 1},
    violates: 'code 0 is its own transaction',
  },
  {
    name: 'unknown told as not made',
    settings: {...base, ...single, UNKNOWN_IS_NOT_MADE: 1},
    violates: 'what was denied is not made',
  },
  {
    name: 'the first page read until it is stable',
    settings: {...moving, HEAD_UNTIL_STABLE: 1, CODES_EXCUSED: 1},
    violates: 'one transaction',
  },
  {
    name: 'the transaction of another key adopted',
    settings: {...cache, FIRST_MATCH_TAKEN: 1},
    violates: 'code 0 is its own transaction',
  },
  {
    name: 'a memory of a list that was read once',
    settings: {...paged, MEMORY_OF_ONE_READ: 1},
    violates: 'one transaction',
  },
  {
    name: 'a memory without what others made, two hosts',
    settings: {...rememberingRace, MEMORY_WITHOUT_FOREIGN: 1},
    violates: 'one transaction',
  },
  {
    name: 'a memory without what a lost journal made',
    settings: {...lostLongAgo, MEMORY_WITHOUT_FOREIGN: 1},
    violates: 'one transaction',
  },
  {
    name: 'a memory used for what was sent before',
    settings: {...nameless, MEMORY_IGNORES_SENT: 1, CODES_EXCUSED: 1},
    violates: 'one transaction',
  },
  {
    name: 'a memory used for what was sent before, code 6',
    settings: {...nameless, ...single, MEMORY_IGNORES_SENT: 1},
    violates: 'what was denied is not made',
  },
  {
    name: 'a memory without listing time',
    settings: {...rememberingLate, MEMORY_UNTIL_ITS_START: 1},
    violates: 'one transaction',
  },
  {
    name: 'a memory that outlives its journal',
    settings: {...lostLongAgo, MEMORY_OUTLIVES_JOURNAL: 1},
    violates: 'one transaction',
  },
]

export const groups = {holding, exceptions, findings, mutations} as const
