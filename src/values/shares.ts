// The shares of the owners of a business.
import {Big} from 'big.js'
import {getValue} from './body-paths.ts'

// Shares may be fractions, which floating-point numbers would not add up exactly.
export const sumShares = (persons: readonly unknown[]): Big =>
  persons
    .map((person) => getValue(person, 'ownershipPercentage'))
    .filter((share) => typeof share === 'number')
    .reduce((sum, share) => sum.plus(share), new Big(0))
