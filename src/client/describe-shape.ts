// Says in which way a reply differs from the interface, for notices and for `svc doctor`.
import type {OtherShape} from './read-reply.ts'

export function describeOtherShape(shape: OtherShape): string {
  if ('pageToken' in shape) {
    return `the service sends the token of the next page in ${shape.pageToken} instead of nextPageToken; svc follows it`
  }
  if ('objectAt' in shape) {
    return `the reply to ${shape.endpoint} is wrapped in ${shape.objectAt}; svc reads what is inside`
  }
  const where = shape.listAt === '' ? 'a bare list' : `a list in ${shape.listAt}`
  return `the reply to ${shape.endpoint} is ${where} instead of the interface’s envelope; svc reads it`
}
