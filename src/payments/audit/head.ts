// The head of a journal as a text that can be kept elsewhere and signed: where each chain ended at some moment. A journal that
// contains it was not changed before it.
import {SvcError, badUsage, getSystemCode} from '../../errors.ts'
import {rejectOwnFile} from '../../storage/write-whole-file.ts'
import {replacePrivateFile} from '../../storage/private-file.ts'
import {readRegularFile} from '../../storage/read-regular-file.ts'
import {type ChainHead, digestText} from '../journal/chain.ts'

// The kind of the decision that keeps a signed head in the journal.
export const headSigned = 'HEAD_SIGNED'

export const headNamespace = 'svc-journal'

export interface JournalHead {
  // When it was read, by the clock of this machine.
  at: string
  chains: ChainHead[]
}

const title = 'svc journal head 1'

// Chains without an entry are left out.
export const formatHead = ({at, chains}: JournalHead): string =>
  [
    title,
    `at ${at}`,
    ...chains.filter(({number}) => number > 0).map(({chain, number, hash}) => `chain ${chain} ${number} ${hash}`),
    '',
  ].join('\n')

const chainPattern = /^chain (0|[1-9]\d{0,8}) ([1-9]\d{0,15}) ([0-9a-f]{64})$/

// Undefined unless it is, to the byte, a head as formatHead writes it.
export function parseHead(text: string): JournalHead | undefined {
  const [first, second = '', ...lines] = text.split('\n')
  const at = /^at (\S+)$/.exec(second)?.[1]
  if (first !== title || at === undefined || lines.pop() !== '') return undefined
  const chains = lines.map((line) => {
    const [, chain, number, hash = ''] = chainPattern.exec(line) ?? []
    return {chain: Number(chain), number: Number(number), hash}
  })
  return formatHead({at, chains}) === text ? {at, chains} : undefined
}

// Short enough to be read aloud or printed.
export const digestHead = (text: string): string => digestText(text)

export function readHeadFile(file: string): {text: string; head: JournalHead} {
  const text = describeFailure(`The file ${file} cannot be read`, 'Name another file', () =>
    readRegularFile(file).toString(),
  )
  const head = parseHead(text)
  if (head) return {text, head}
  throw badUsage(`${file} is no head of a journal`, 'Name a file that `svc journal verify --sign --out` has written')
}

function describeFailure<T>(message: string, hint: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    if (cause instanceof SvcError) throw cause
    throw badUsage(`${message} (${getSystemCode(cause) ?? 'unknown'})`, hint, cause)
  }
}

// The signature beside a head, or why there is none to check.
export function readSignatureFile(file: string): {text?: string; problem?: string} {
  try {
    return {text: readRegularFile(file).toString()}
  } catch (cause) {
    if (cause instanceof SvcError) return {problem: cause.message}
    const code = getSystemCode(cause)
    return {problem: code === 'ENOENT' ? `there is no ${file}` : `${file} cannot be read (${code ?? 'unknown'})`}
  }
}

export function writeAuditFile(file: string, text: string): void {
  rejectOwnFile(file)
  describeFailure(`The file ${file} cannot be written`, 'Name another with --out', () => replacePrivateFile(file, text))
}

// The error of a check that found a journal or a head to be wrong.
export const notIntact = (message: string, hint: string) =>
  new SvcError({error: 'NOT_INTACT', kind: 'finding', effect: 'none', message, hint})
