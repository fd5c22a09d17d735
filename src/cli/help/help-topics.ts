// The help topics that belong to no command: exit codes, environment variables, output.
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
      'Exit codes are an interface: scripts may branch on them, and a code never changes its meaning. The help of a command lists those that matter to it.',
    sections: [
      {title: 'CODES', rows: exitCodeMeanings.map(({code, meaning}) => [String(code).padStart(3), meaning])},
      {
        title: 'IN A SCRIPT',
        rows: [
          ['An empty list', 'Is 0: nothing there is an answer'],
          ['--wait, watch', '0 when it ended well, 11 when it did not, 8 when --timeout ran out first'],
          ['A batch', '7 before 9 before 8, where several apply'],
          ['doctor', '12 for whatever it finds, also an unreachable service'],
        ],
      },
    ],
  },
  environment: {
    summary: 'The environment variables that svc reads',
    intro:
      'Every flag can also be set as SVC_ and its name in capitals, such as SVC_OUTPUT=json, except those that name or size one action. A flag beats its variable, and that of a flag it excludes. A profile that is named beats a credential in the environment.',
    sections: [
      {
        title: 'WHO IS CALLING',
        rows: [
          ['SVC_PROFILE', 'The profile to use, as with --profile'],
          ['SVC_BASE_URL', 'The address of the service, with one of the next two'],
          ['SVC_API_KEY', 'An API key'],
          ['SVC_ACCESS_TOKEN', 'A JWT'],
          ['SVC_WEBHOOK_SECRET', 'The secret with which events are signed, for events listen and verify'],
        ],
      },
      {
        title: 'FILES',
        rows: [
          ['SVC_CONFIG_DIR', 'Folder of the settings; moves the state folder along'],
          ['SVC_STATE_DIR', 'Folder of what svc remembers by itself'],
          ['SVC_SANDBOX_FILE', 'Database of the built-in sandbox'],
          ['SVC_JOURNAL', 'Journal of payments'],
          ['SVC_EVENTS', 'Store of received events'],
          ['SVC_CACHE_DIR', 'Folder of compiled code and of shell completion'],
        ],
      },
      {
        title: 'NETWORK',
        rows: [
          ['HTTPS_PROXY, NO_PROXY', 'Proxy for HTTPS, and the hosts it is not for'],
          ['SVC_CA_FILE', 'A certificate authority to trust besides the known ones, in PEM'],
          ['NODE_EXTRA_CA_CERTS', 'The same for all of Node'],
        ],
      },
      {
        title: 'TERMINAL',
        rows: [
          ['NO_COLOR', 'No colour'],
          ['FORCE_COLOR', 'Colour even in a pipe; 0 for none'],
          ['SVC_DEBUG', 'Show the stack of an error'],
        ],
      },
    ],
  },
  output: {
    summary: 'Formats, streams and how scripts should read them',
    intro:
      'Standard output carries data and nothing else. Notices, questions, progress and errors go to standard error. With --json an error is one line of JSON there: {"error","message","statusCode","hint","exitCode"}.',
    sections: [
      {
        title: 'FORMATS',
        rows: [
          ['table', 'For people. Fits the terminal; whole and plain in a pipe'],
          ['json', 'The service’s own JSON; a list in its envelope, with the pages joined'],
          ['jsonl', 'One item a line, written as pages arrive, in constant memory'],
          ['csv', 'For spreadsheets; cells that would run as a formula are neutralised'],
          ['yaml', 'The same data as json'],
        ],
      },
      {
        title: 'LISTS',
        rows: [
          ['(neither)', 'One page of 20'],
          ['--limit N', 'So many; the last page asks only for the remainder'],
          ['--all', 'To the end, in the largest pages'],
          ['--page-token T', 'Go on from where a list stopped: nextPageToken in JSON, the notice elsewhere'],
          [
            '--status, --type, --since',
            'Judged here, since the service has no such filter; a notice says when more pages had to be read',
          ],
        ],
      },
      {
        title: 'WAITING',
        rows: [
          ['--wait, watch', 'Ask again, less and less often, until a final state: a live line on a terminal'],
          ['-o jsonl', 'One line of JSON for every change'],
          ['--timeout 10m', 'Stop waiting then, with code 8; nothing is undone'],
        ],
      },
      {
        title: 'WRITING',
        rows: [
          ['--dry-run', 'Check everything and print the request that would be sent, personal data masked'],
          ['--reveal', 'With --dry-run: without the mask'],
          ['--quiet', 'Say nothing on success'],
          ['--yes', 'Do not ask; on live, scripts must say it to move money or to change a rule'],
        ],
      },
    ],
  },
}
