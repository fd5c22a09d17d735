// Decides whether output is coloured, and which colour each status has.
export interface Painter {
  dim(text: string): string
  bold(text: string): string
  alarm(text: string): string
  status(text: string): string
}

const tones = new Map<string, 'green' | 'yellow' | 'red' | 'cyan' | 'gray'>(
  Object.entries({
    ACTIVE: 'green',
    COMPLETED: 'green',
    UNDER_REVIEW: 'cyan',
    PROCESSING: 'cyan',
    CREATED: 'cyan',
    NEEDS_ADDITIONAL_INFORMATION: 'yellow',
    AWAITING_TRANSFER: 'yellow',
    PENDING: 'yellow',
    ENDED_BADLY: 'red',
    REJECTED: 'red',
    FAILED: 'red',
    CANCELLED: 'gray',
    EXPIRED: 'gray',
    DEACTIVATED: 'gray',
    create: 'green',
    update: 'yellow',
    replace: 'yellow',
    delete: 'red',
    refused: 'red',
    done: 'green',
    adopted: 'green',
    failed: 'red',
    unknown: 'yellow',
    'not tried': 'gray',
    live: 'yellow',
    sandbox: 'cyan',
    '✓ ok': 'green',
    '! warning': 'yellow',
    '✗ failed': 'red',
    '– skipped': 'gray',
  }),
)

const plain: Painter = {dim: String, bold: String, alarm: String, status: String}

// FORCE_COLOR overrides NO_COLOR, and both override the terminal check.
function hasColour(stream: {isTTY?: boolean | undefined}): boolean {
  const {FORCE_COLOR, NO_COLOR, TERM} = process.env
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  return !NO_COLOR && TERM !== 'dumb' && stream.isTTY === true
}

// chalk is loaded only if something will be coloured.
export async function createPainter(stream: {isTTY?: boolean | undefined}): Promise<Painter> {
  if (!hasColour(stream)) return plain
  const {Chalk} = await import('chalk')
  const chalk = new Chalk({level: 1})
  return {
    dim: chalk.dim,
    bold: chalk.bold,
    alarm: chalk.red.bold,
    status: (text) => {
      // Of two, such as “CREATED, FAILED”, the last one counts.
      const last = text.slice(text.lastIndexOf(', ') + 1).trim()
      const tone = tones.get(text) ?? tones.get(last) ?? tones.get(last.toUpperCase())
      return tone ? chalk[tone](text) : text
    },
  }
}
