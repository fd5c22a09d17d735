// The error of a check that found a journal, a head or a proof to be wrong.
import {SvcError} from '../../errors.ts'

export const notIntact = (message: string, hint: string) =>
  new SvcError({error: 'NOT_INTACT', kind: 'finding', effect: 'none', message, hint})
