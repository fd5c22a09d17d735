// Magic amounts: what a transaction comes to, chosen by the decimals of its source amount.

interface MagicValue {
  value: string
  where: string
  effect: string
}

export type MagicOutcome = 'fails' | 'is cancelled' | 'expires' | 'is funded' | 'lingers'

interface MagicAmount {
  // The decimals of the source amount, exactly these.
  decimals: string
  outcome: MagicOutcome
  effect: string
}

const magicAmounts: readonly MagicAmount[] = [
  {
    decimals: '.01',
    outcome: 'fails',
    effect: 'FAILED instead of COMPLETED, and the money goes back; from outside, it arrives by itself first',
  },
  {
    decimals: '.02',
    outcome: 'is cancelled',
    effect: 'CANCELLED instead of COMPLETED, and the money goes back; from outside, it arrives by itself first',
  },
  {
    decimals: '.03',
    outcome: 'expires',
    effect: 'From outside: EXPIRED after one minute, since no money arrives; from a service-managed wallet: no effect',
  },
  {
    decimals: '.04',
    outcome: 'is funded',
    effect: 'From outside: the money arrives by itself after one minute, and the transaction is COMPLETED',
  },
  {
    decimals: '.05',
    outcome: 'lingers',
    effect: 'PROCESSING for three days, then COMPLETED; from outside, the money arrives by itself first',
  },
]

// The table for whoever runs the sandbox.
export const transactionMagic: readonly MagicValue[] = magicAmounts.map(({decimals, effect}) => ({
  value: `…${decimals}`,
  where: 'source.sourceAmount of the quote',
  effect,
}))

// By the amount as it is shown: 10.01 and 10.010000 are the same, 10.011 is not.
export const findMagicOutcome = (amount: string): MagicOutcome | undefined =>
  magicAmounts.find(
    ({decimals}) => amount.endsWith(decimals) && amount.length - amount.indexOf('.') === decimals.length,
  )?.outcome
