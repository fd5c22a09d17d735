// The error of a list that has nothing to choose from.
import {SvcError} from '../../errors.ts'

export const createNoneError = (plural: string, hint?: string) =>
  new SvcError({error: 'NOT_FOUND', kind: 'notFound', message: `There are no ${plural}`, hint})
