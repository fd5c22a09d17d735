// What --jq does to data before it is printed, for every command that prints JSON.
import {SvcError} from '../../errors.ts'

// Turns values into text. What could be made before a failure is printed too.
export interface Reshaped {
  text: string
  failure?: SvcError
}

export interface Reshaper {
  reshape(values: readonly unknown[]): Reshaped
}

let active: Reshaper | undefined

export const getReshaper = (): Reshaper | undefined => active

export function setReshaper(reshaper: Reshaper | undefined): void {
  active = reshaper
}

const reshapeFailed = 'OUTPUT_EXPRESSION_FAILED'

export const isReshapeError = (error: unknown) => error instanceof SvcError && error.error === reshapeFailed

// The command did what it was asked to; only its data could not be printed as wanted.
export const createReshapeError = (flag: string, reason: string) =>
  new SvcError({
    error: reshapeFailed,
    kind: 'bug',
    effect: 'done',
    message: `${flag} failed on the data: ${reason}`,
    hint: 'The command itself was carried out; --json shows the data as it is',
  })
