// The head of a journal as a text that can be kept elsewhere and signed: where each chain ended at some moment. A journal that
// contains it was not changed before it.
import type {Signer} from '../../controls/limits.ts'
import {type SignatureCheck, checkSignature, readSigningKey, signText} from '../../controls/signatures.ts'
import {SvcError, badUsage} from '../../errors.ts'
import type {JournalAddress} from '../../storage/journal-address.ts'
import {readNamedText} from '../../storage/read-regular-file.ts'
import {writeWholeFile} from '../../storage/write-whole-file.ts'
import {describeOperator} from '../../values/operator.ts'
import {type ChainHead, digestText} from '../journal/chain.ts'
import {withJournal} from '../journal/open-journal.ts'

// The kind of the decision that keeps a signed head in the journal.
export const headSigned = 'HEAD_SIGNED'

const namespace = 'svc-journal'

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
function parseHead(text: string): JournalHead | undefined {
  const [first, second = '', ...lines] = text.split('\n')
  const at = /^at (\S+)$/.exec(second)?.[1]
  if (first !== title || at === undefined || lines.pop() !== '') return undefined
  const chains = lines.map((line) => {
    const [, chain, number, hash = ''] = chainPattern.exec(line) ?? []
    return {chain: Number(chain), number: Number(number), hash}
  })
  return formatHead({at, chains}) === text ? {at, chains} : undefined
}

// Short enough to be read aloud or printed. It says nothing of the time, so that two journals with the same chains have the same.
export const digestChains = (chains: ChainHead[]): string => digestText(formatHead({at: '-', chains}))

// A head that a journal is compared with.
export interface GivenHead extends JournalHead {
  // The file or the entry that it is in.
  place: string
  // Null without a signature.
  check: SignatureCheck | null
}

// Undefined if the text is no head.
export function checkHead(
  text: string,
  signature: string | undefined,
  place: string,
  signers: readonly Signer[] | undefined,
): GivenHead | undefined {
  const head = parseHead(text)
  const check = signature === undefined ? null : checkSignature({text, signature}, {namespace, signers})
  return head && {...head, place, check}
}

export function readHeadFile(file: string, signers: readonly Signer[] | undefined): GivenHead {
  const read = (name: string) =>
    readNamedText(name, (code, cause) =>
      badUsage(`The file ${name} cannot be read (${code})`, 'Name another file', cause),
    )
  const head = checkHead(
    read(file),
    readSignature(() => read(`${file}.sig`)),
    file,
    signers,
  )
  if (head) return head
  throw badUsage(`${file} is no head of a journal`, 'Name a file that `svc journal verify --sign --out` has written')
}

// One that cannot be read signs nothing.
function readSignature(read: () => string): string | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof SvcError) return undefined
    throw error
  }
}

export interface SignedHead {
  at: string
  // SHA-256 of the text of the head.
  digest: string
  // The fingerprint of the key that signed it.
  by: string
  files: string[]
}

interface SignOptions {
  // The file of the key to sign with.
  signingKey: string
  out?: string | undefined
  why?: string | undefined
  // Whether a person can touch a key or type a passphrase.
  isShown: boolean
}

// Signs the head of a journal that was verified. It is also kept in the journal, which is compared with it from then on.
export async function signHead(
  address: JournalAddress,
  chains: ChainHead[],
  {signingKey, out, why, isShown}: SignOptions,
): Promise<SignedHead> {
  const at = new Date().toISOString()
  const text = formatHead({at, chains})
  const signature = await signText(text, {key: await readSigningKey(signingKey), namespace, isShown})
  const check = checkSignature({text, signature}, {namespace})
  if (!check.isGood) throw new Error(`the signature of ${signingKey} does not fit what it signed`)
  const by = check.fingerprint
  const files = out === undefined ? [] : [out, `${out}.sig`]
  for (const [index, file] of files.entries()) await writeWholeFile(file, [index === 0 ? text : signature])
  const digest = digestText(text)
  await withJournal(address, (journal) =>
    journal.recordDecision({
      kind: headSigned,
      about: {head: digest},
      who: {...describeOperator(), signer: by},
      why,
      data: {head: text, signature},
    }),
  )
  return {at, digest, by, files}
}
