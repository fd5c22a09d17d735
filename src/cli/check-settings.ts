// A protected profile writes nothing if its settings were changed without the signatures of others.
import {requireSignedSettings} from '../controls/settings.ts'
import type {Caller} from '../profiles/caller.ts'
import {getServiceId} from '../transport.ts'

export const checkSettings = async (caller: Caller): Promise<void> =>
  requireSignedSettings(caller, await getServiceId(caller))
