// Verifies a signature of one of the people who may sign.
import type {Signers} from './signers.ts'
import {runSshKeygen, withPrivateFiles} from './ssh-keygen.ts'

export interface SignedText {
  text: string
  signature: string
}

export type Verification =
  | {isGood: true; person: string; principal: string}
  // Nobody who may sign has this key now, or the signature does not fit the text.
  | {isGood: false; reason: 'notAllowed' | 'badSignature'}

const signaturePattern = /^-----BEGIN SSH SIGNATURE-----\n[A-Za-z0-9+/=\n]+-----END SSH SIGNATURE-----\n?$/

// OpenSSH decides everything: whether the key is allowed now, for this namespace, and whether the signature is good.
export async function verifyText(
  {text, signature}: SignedText,
  {signers, namespace}: {signers: Signers; namespace: string},
): Promise<Verification> {
  if (!signaturePattern.test(signature)) return {isGood: false, reason: 'badSignature'}
  return withPrivateFiles({signature, signers: signers.text}, async (getPath) => {
    const files = ['-s', getPath('signature'), '-f', getPath('signers')]
    const found = await runSshKeygen(['-Y', 'find-principals', ...files])
    const [principal = ''] = found.out.split('\n')
    const person = signers.findPerson(principal)
    if (found.code !== 0 || principal === '' || person === undefined) return {isGood: false, reason: 'notAllowed'}
    const verified = await runSshKeygen(['-Y', 'verify', '-n', namespace, '-I', principal, ...files], {input: text})
    return verified.code === 0 ? {isGood: true, person, principal} : {isGood: false, reason: 'badSignature'}
  })
}
