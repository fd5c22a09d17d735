// Checks a signature by itself: that it fits the text, and which key made it. Whose key that is, a list of signers says, or the
// person who compares the fingerprint.
import {SvcError} from '../errors.ts'
import type {Signers} from './signers.ts'
import {runSshKeygen, withPrivateFiles} from './ssh-keygen.ts'
import {type SignedText, verifyText} from './verify-text.ts'

export type SignatureCheck =
  // `person` is known only from a list of signers.
  | {isGood: true; fingerprint: string; person?: string | undefined}
  // `unchecked`: this machine has no OpenSSH.
  | {isGood: false; reason: 'badSignature' | 'notAllowed' | 'unchecked'}

const fingerprintPattern = /\bkey (SHA256:\S+)/

export async function checkSignature(
  signed: SignedText,
  {namespace, signers}: {namespace: string; signers?: Signers | undefined},
): Promise<SignatureCheck> {
  try {
    const {code, out} = await withPrivateFiles({signature: signed.signature}, (getPath) =>
      runSshKeygen(['-Y', 'check-novalidate', '-n', namespace, '-s', getPath('signature')], {input: signed.text}),
    )
    const fingerprint = fingerprintPattern.exec(out)?.[1]
    if (code !== 0 || fingerprint === undefined) return {isGood: false, reason: 'badSignature'}
    if (!signers) return {isGood: true, fingerprint}
    const verified = await verifyText(signed, {signers, namespace})
    return verified.isGood ? {isGood: true, fingerprint, person: verified.person} : verified
  } catch (error) {
    // ssh-keygen is not installed.
    if (error instanceof SvcError && error.kind === 'usage') return {isGood: false, reason: 'unchecked'}
    throw error
  }
}
