// Reads a policy from a file: the policy itself, or what `svc policy show --proposed` printed, which says which version it follows.
import {readDataFile} from '../../cli/body/input-file.ts'
import {getApprovalFolder, openFileStore} from '../../controls/approval-store.ts'
import {type Policy, parsePolicy, readPolicyNumber} from '../../controls/policy.ts'
import {badUsage} from '../../errors.ts'
import {isRecord, readText} from '../../values/records.ts'
import type {PolicyProposal} from './enter-policy.ts'

export interface PolicyFile {
  policy: Policy
  previous?: string | undefined
}

const toDigest = (value: unknown) => readText(value).replace(/^sha256:/, '') || undefined

export async function readPolicyFile(file: string, serviceId: string): Promise<PolicyFile> {
  const value = await readDataFile(file, {readNumber: readPolicyNumber})
  if (!isRecord(value) || !isRecord(value['policy'])) return {policy: parsePolicy(value, file)}
  const {service, previous, policy} = value
  if (service !== undefined && service !== serviceId) {
    throw badUsage(
      `The policy of ${file} is for the service ${readText(service)}, and this profile belongs to ${serviceId}`,
      'Name the profile of that service with -p; nothing was changed',
    )
  }
  return {policy: parsePolicy(policy, file), previous: toDigest(previous)}
}

// With the approvals that lie beside the file, where those who approve have no access to the journal.
export async function readProposal(file: string, serviceId: string): Promise<PolicyProposal> {
  const read = await readPolicyFile(file, serviceId)
  const approvals = file === '-' ? [] : await openFileStore(getApprovalFolder(file)).list()
  return {serviceId, ...read, approvals}
}
