// The head of a journal as a text that can be kept elsewhere and signed: where each chain ended at some moment. A journal that
// contains it was not changed before it.
import {badUsage} from '../../errors.ts'
import {type ChainHead, digestText} from '../journal/chain.ts'

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

export function requireHead(text: string, name: string): JournalHead {
  const head = parseHead(text)
  if (head) return head
  throw badUsage(`${name} is no head of a journal`, 'Name a file that `svc journal head --out` has written')
}

// Short enough to be read aloud or printed.
export const digestHead = (text: string): string => digestText(text)

export const countEntries = ({chains}: JournalHead): number => chains.reduce((sum, {number}) => sum + number, 0)
