// The head of a journal as a text that is kept elsewhere and signed: where each chain ended at some
// moment. A journal that contains it was not changed before it.
import type {Signer} from '../../controls/limits.ts'
import {readSigningKey, signText} from '../../controls/signatures.ts'
import {findSigner} from '../../controls/signers.ts'
import {checkSshSignature} from '../../controls/ssh-signature.ts'
import {SvcError, badUsage} from '../../errors.ts'
import {readNamedFile} from '../../storage/read-regular-file.ts'
import {writeWholeFile} from '../../storage/write-whole-file.ts'
import {type ChainHead, digestText} from '../journal/chain.ts'

const namespace = 'svc-journal'

export interface JournalHead {
  // The time at which the head was read, by the clock of this machine.
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

// Returns undefined unless the text is, to the byte, a head as formatHead writes it.
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

// The digest is short enough to be read aloud or printed. It leaves out the time, so that journals
// with the same chains have the same digest.
export const digestChains = (chains: ChainHead[]): string => digestText(formatHead({at: '-', chains}))

// The signature of a head. Its signer is named by a list of signers, or by the person who compares
// the fingerprint.
type HeadSignature = {is: 'none' | 'wrong' | 'foreign'} | {is: 'good'; by: string}

// A head in a file, with the signature beside it.
export interface GivenHead extends JournalHead {
  file: string
  signature: HeadSignature
}

const signatureWords = {none: 'none', wrong: 'wrong', foreign: 'by nobody of the signers'}

export const describeSignature = (signature: HeadSignature): string =>
  signature.is === 'good' ? `good, by ${signature.by}` : signatureWords[signature.is]

function checkSignature(text: string, signature: string, signers: readonly Signer[] | undefined): HeadSignature {
  const signed = checkSshSignature({text, signature}, namespace)
  if (!signed) return {is: 'wrong'}
  const by = signers ? findSigner(signers, signed.publicKey) : signed.fingerprint
  return by === undefined ? {is: 'foreign'} : {is: 'good', by}
}

export function readHeadFile(file: string, signers: readonly Signer[] | undefined): GivenHead {
  const text = readNamedFile(file).toString()
  const head = parseHead(text)
  if (!head) {
    throw badUsage(`${file} is no head of a journal`, 'Name a file that `svc journal verify --sign --out` has written')
  }
  try {
    return {...head, file, signature: checkSignature(text, readNamedFile(`${file}.sig`).toString(), signers)}
  } catch (error) {
    // A signature that cannot be read signs nothing.
    if (error instanceof SvcError) return {...head, file, signature: {is: 'none'}}
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

// Signs the head of a journal that was verified. With `isShown`, a person can touch a key or type a
// passphrase.
export async function signHead(
  chains: ChainHead[],
  {signingKey, out, isShown}: {signingKey: string; out: string; isShown: boolean},
): Promise<SignedHead> {
  const at = new Date().toISOString()
  const text = formatHead({at, chains})
  const signature = await signText(text, {key: await readSigningKey(signingKey), namespace, isShown})
  const signed = checkSshSignature({text, signature}, namespace)
  if (!signed) throw new Error(`the signature of ${signingKey} does not fit what it signed`)
  await writeWholeFile(out, [text])
  await writeWholeFile(`${out}.sig`, [signature])
  return {at, digest: digestText(text), by: signed.fingerprint, files: [out, `${out}.sig`]}
}
