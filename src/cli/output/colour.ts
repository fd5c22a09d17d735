// Decides whether output is coloured, and which colour each status has.
export interface Painter {
  dim(text: string): string
  bold(text: string): string
  alarm(text: string): string
  status(text: string): string
}

const tones = {
  green: ['ACTIVE', 'COMPLETED', 'create', 'done', 'adopted', '✓ ok'],
  cyan: ['UNDER_REVIEW', 'PROCESSING', 'CREATED', 'sandbox'],
  yellow: [
    'NEEDS_ADDITIONAL_INFORMATION',
    'AWAITING_TRANSFER',
    'PENDING',
    'update',
    'replace',
    'unknown',
    'live',
    '! warning',
  ],
  red: ['ENDED_BADLY', 'REJECTED', 'FAILED', 'delete', 'refused', 'failed', '✗ failed'],
  gray: ['CANCELLED', 'EXPIRED', 'DEACTIVATED', 'not tried', '– skipped'],
} as const

type Tone = keyof typeof tones

const findTone = (status: string) =>
  Object.entries(tones).find(([, statuses]) => (statuses as readonly string[]).includes(status))?.[0] as
    | Tone
    | undefined

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
      const tone = findTone(text) ?? findTone(last) ?? findTone(last.toUpperCase())
      return tone ? chalk[tone](text) : text
    },
  }
}
