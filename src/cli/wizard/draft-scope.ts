// Where the drafts of a caller belong.
import type {DraftScope} from './draft-store.ts'
import type {Caller} from '../../profiles/caller.ts'
import {sandboxAddress} from '../../profiles/profiles.ts'
import {getSandboxFile} from '../../storage/folders.ts'

export type DraftCaller = Pick<Caller, 'baseUrl' | 'serviceIdentity' | 'profileName'>

// Each database of the embedded sandbox is a service of its own.
export function createDraftScope(caller: DraftCaller | undefined): Omit<DraftScope, 'command'> {
  const isEmbedded = caller?.baseUrl === sandboxAddress
  const service = isEmbedded ? `${sandboxAddress}${getSandboxFile()}` : (caller?.serviceIdentity.id ?? '')
  return {service, profile: caller?.profileName ?? ''}
}
