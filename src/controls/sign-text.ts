// Signs a text with a key of the user, in a namespace that keeps the signature from counting for anything else.
import {SvcError} from '../errors.ts'
import type {SigningKey} from './own-keys.ts'
import {runSshKeygen, withPrivateFiles} from './ssh-keygen.ts'

const createSigningError = ({name}: SigningKey, reason: string) =>
  new SvcError({
    error: 'NOT_SIGNED',
    kind: 'usage',
    message: `ssh-keygen did not sign with ${name}${reason === '' ? '' : ` (${reason})`}`,
    hint: 'Try `ssh-add -L` and `ssh-keygen -Y sign` by hand, or name another key with --signing-key; nothing was approved',
  })

// `isShown` lets ssh-keygen speak to a person, for keys that have to be touched or have a passphrase.
export async function signText(
  text: string,
  {key, namespace, isShown}: {key: SigningKey; namespace: string; isShown: boolean},
): Promise<string> {
  return withPrivateFiles({'key.pub': `${key.publicKey}\n`}, async (getPath) => {
    const args = ['-Y', 'sign', '-q', '-n', namespace, '-f', key.file ?? getPath('key.pub')]
    const {code, out, err} = await runSshKeygen(args, {input: text, isShown})
    if (code === 0 && out.startsWith('-----BEGIN SSH SIGNATURE-----')) return out
    throw createSigningError(key, err.trim().split('\n').at(-1) ?? '')
  })
}
