// Help topics that belong to no command: exit codes, environment variables, output.
import {exitCodeMeanings} from '../../errors.ts'

interface HelpTopic {
  summary: string
  intro?: string
  sections: ReadonlyArray<{title: string; rows: ReadonlyArray<readonly [string, string]>}>
}

export const helpTopics: Readonly<Record<string, HelpTopic>> = {
  'exit-codes': {
    summary: 'What each exit code means',
    intro:
      'Scripts can rely on these exit codes: a code never changes its meaning. The help of a command lists the codes that matter for it.',
    sections: [
      {title: 'CODES', rows: exitCodeMeanings.map(({code, meaning}) => [String(code).padStart(3), meaning])},
      {
        title: 'IN A SCRIPT',
        rows: [
          ['An empty list', '0'],
          ['--wait, watch', '0 if it ended well, 11 if it did not, 8 if --timeout was reached first'],
          ['--timeout, no wait', '6 if the service has not answered by then, 7 if a write may have happened'],
          ['A batch', 'If several codes apply, 7 comes before 9, and 9 before 8'],
          ['doctor', '12 for anything it finds, including an unreachable service'],
        ],
      },
    ],
  },
  environment: {
    summary: 'The environment variables that svc reads',
    intro:
      'Most flags can also be set as SVC_ and the flag name in capitals, such as SVC_OUTPUT=json. The exceptions are flags that describe a single action, such as --key and --amount. A flag overrides its variable and the variables of flags it excludes. --profile overrides credentials in the environment.',
    sections: [
      {
        title: 'PROFILE AND CREDENTIAL',
        rows: [
          ['SVC_PROFILE', 'Profile to use, as with --profile; a file .svc.json can choose one for a folder'],
          ['SVC_BASE_URL', 'Base URL of the service; needs SVC_API_KEY or SVC_ACCESS_TOKEN'],
          ['SVC_API_KEY', 'API key'],
          ['SVC_ACCESS_TOKEN', 'Access token (JWT)'],
          ['SVC_SERVICE', 'Id of the service that payment keys belong to, without a profile (the base URL)'],
          ['SVC_RESEND', 'yes if the service honours idempotency keys, or unknown; overrides the profile'],
          ['SVC_DUPLICATE_WINDOW', 'How long a payment like another one is asked about, such as 3d; 0 for never'],
          ['SVC_WEBHOOK_SECRET', 'Secret that signs webhook events, for events listen and events verify'],
        ],
      },
      {
        title: 'FILES',
        rows: [
          ['SVC_CONFIG_DIR', 'Settings directory; also moves the state directory'],
          ['SVC_STATE_DIR', 'State directory: what svc remembers between runs'],
          ['SVC_SANDBOX_FILE', 'Database of the built-in sandbox'],
          ['SVC_JOURNAL', 'Payment journal'],
          ['SVC_EVENTS', 'Event store'],
          ['SVC_CACHE_DIR', 'Cache directory: compiled code and completion scripts'],
        ],
      },
      {
        title: 'NETWORK',
        rows: [
          ['HTTPS_PROXY, NO_PROXY', 'Proxy for HTTPS, and hosts that bypass it'],
          ['SVC_CA_FILE', 'Additional certificate authorities to trust, a PEM file'],
          ['NODE_EXTRA_CA_CERTS', 'The same, for every Node program'],
        ],
      },
      {
        title: 'TERMINAL',
        rows: [
          ['NO_COLOR', 'No colour'],
          ['FORCE_COLOR', 'Use colour in a pipe too; 0 for no colour'],
          ['SVC_DEBUG', 'Show the stack trace of an error'],
        ],
      },
    ],
  },
  output: {
    summary: 'Output formats, paging, waiting and writing',
    intro:
      'Standard output contains only data. Notices, prompts, progress and errors go to standard error. With --json, an error is one line of JSON on standard error: {"error","message","statusCode","hint","exitCode"}.',
    sections: [
      {
        title: 'FORMATS',
        rows: [
          ['table', 'For reading. Fits the terminal; complete and without colour in a pipe'],
          ['json', 'The service’s own JSON; the pages of a list are joined'],
          ['jsonl', 'One item per line, written as pages arrive, in constant memory'],
          ['csv', 'For spreadsheets; cells that look like a formula are neutralised'],
          ['yaml', 'The same data as json'],
        ],
      },
      {
        title: 'LISTS',
        rows: [
          ['(default)', 'One page of 20 items'],
          ['--limit N', 'Up to N items'],
          ['--all', 'All items, in the largest pages'],
          ['--page-token T', 'Continue where a list stopped; the token is nextPageToken in JSON, and in the notice'],
          [
            '--status, --type, --since',
            'Applied by svc, because the service cannot; a notice says if more pages had to be read',
          ],
        ],
      },
      {
        title: 'SHAPING',
        rows: [
          ['--columns a,b', 'The columns of tables and CSV, by field name or header'],
          ['--sort COLUMN', 'Sort a list, after reading all of it; -COLUMN or COLUMN:desc for descending'],
          ['--jq EXPR', 'What a jq expression makes of the JSON; with -o jsonl, of each item in constant memory'],
        ],
      },
      {
        title: 'WAITING',
        rows: [
          ['--wait, watch', 'Poll, less and less often, until a final state; shows a live line in a terminal'],
          ['-o jsonl', 'One line of JSON per change'],
          [
            '--timeout 10m',
            'Stop waiting after ten minutes, with exit code 8; nothing is undone. Without --wait or watch: 6 if the service has not answered by then',
          ],
        ],
      },
      {
        title: 'WRITING',
        rows: [
          ['--dry-run', 'Validate, and print the request that would be sent, with personal data masked'],
          ['--reveal', 'With --dry-run, show personal data'],
          ['--quiet', 'Print nothing on success, unless --json, -o, --jq or --columns asks for it'],
          ['--yes', 'Skip confirmation; on a live profile, scripts need it to move money or change a rule'],
        ],
      },
    ],
  },
}
