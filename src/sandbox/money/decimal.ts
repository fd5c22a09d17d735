// Decimal numbers for prices and fees: strict, so that a float never slips in, and precise far below a minor unit.
import {Big} from 'big.js'

export const Decimal = Big()
Decimal.strict = true
Decimal.DP = 30

export type Decimal = Big

export const {roundDown, roundHalfUp, roundUp} = Big
