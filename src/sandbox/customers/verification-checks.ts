// The checks of verification data, whose libraries are loaded with the first request that may carry such data.
// Most commands read only, and a handler inside its transaction cannot wait for anything to be loaded.

type Checks = typeof import('../../validation/verification-data.ts')

let loaded: Checks | undefined

async function loadChecks() {
  loaded ??= await import('../../validation/verification-data.ts')
}

// Data comes with POST and PATCH to customers, and with their forms.
const methodsWithData = new Set(['POST', 'PATCH'])
const pathsWithData = /^[^?]*\/(customers?|verify)([/?]|$)/

export async function loadVerificationChecks({method, target}: {method: string; target: string}) {
  if (methodsWithData.has(method) && pathsWithData.test(target)) await loadChecks()
}

export function getVerificationChecks(): Checks {
  if (loaded) return loaded
  throw new Error('Verification data came by a way for which its checks are not loaded')
}
