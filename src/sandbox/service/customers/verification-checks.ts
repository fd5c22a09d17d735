// Loads the checks of verification data with the first request that may carry such data. Their libraries are large and
// most commands only read; a handler runs inside a transaction and cannot await an import.

type Checks = typeof import('../../../values/verification-data.ts')

let loaded: Checks | undefined

async function loadChecks() {
  loaded ??= await import('../../../values/verification-data.ts')
}

// Verification data arrives by POST and PATCH to customers, and by their hosted forms.
const methodsWithData = new Set(['POST', 'PATCH'])
const pathsWithData = /^[^?]*\/(customers?|verify)([/?]|$)/

export async function loadVerificationChecks({method, target}: {method: string; target: string}) {
  if (methodsWithData.has(method) && pathsWithData.test(target)) await loadChecks()
}

export function getVerificationChecks(): Checks {
  if (loaded) return loaded
  throw new Error('The checks of verification data are not loaded for this kind of request')
}
