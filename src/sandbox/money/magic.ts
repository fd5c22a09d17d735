// Magic amounts: what a transaction comes to, chosen by the decimals of its source amount.

interface MagicValue {
  value: string
  where: string
  effect: string
}

export type Fate = 'fails' | 'is cancelled' | 'expires' | 'is funded' | 'lingers'

interface Magic {
  // The decimals of the source amount, exactly these.
  decimals: string
  fate: Fate
  effect: string
}

const magic: readonly Magic[] = [
  {
    decimals: '.01',
    fate: 'fails',
    effect: 'FAILED instead of COMPLETED, and the money goes back; from outside, it arrives by itself first',
  },
  {
    decimals: '.02',
    fate: 'is cancelled',
    effect: 'CANCELLED instead of COMPLETED, and the money goes back; from outside, it arrives by itself first',
  },
  {
    decimals: '.03',
    fate: 'expires',
    effect: 'From outside: EXPIRED after one minute, since no money arrives; from a service-managed wallet: no effect',
  },
  {
    decimals: '.04',
    fate: 'is funded',
    effect: 'From outside: the money arrives by itself after one minute, and the transaction is COMPLETED',
  },
  {
    decimals: '.05',
    fate: 'lingers',
    effect: 'PROCESSING for three days, then COMPLETED; from outside, the money arrives by itself first',
  },
]

// The table for whoever runs the sandbox.
export const transactionMagic: readonly MagicValue[] = magic.map(({decimals, effect}) => ({
  value: `…${decimals}`,
  where: 'source.sourceAmount of the quote',
  effect,
}))

// By the amount as it is shown: 10.01 and 10.010000 are the same, 10.011 is not.
export const fateOf = (amount: string): Fate | undefined =>
  magic.find(({decimals}) => amount.endsWith(decimals) && amount.length - amount.indexOf('.') === decimals.length)?.fate
