// Decimal numbers for prices and fees. Strict mode rejects floating-point numbers.
import {Big} from 'big.js'

export const Decimal = Big()
Decimal.strict = true
Decimal.DP = 30

export type Decimal = Big

export const {roundDown} = Big
