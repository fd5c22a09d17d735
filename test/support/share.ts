// A share of the cells of a long matrix, another one for every seed. SVC_TEST_CELLS=all plays every cell, as `npm run soak` does.
import {seed} from './seed.ts'

export const isWhole = process.env['SVC_TEST_CELLS'] === 'all'

export const shareName = isWhole ? 'every cell' : `a share of the cells from seed ${seed}`

// How many random stories are played. Each commit has other ones anyway, since their seed comes from it.
export const countInShare = (whole: number, oneIn: number): number => (isWhole ? whole : Math.ceil(whole / oneIn))

// Whether this cell belongs to the share of one in `oneIn` cells.
export const isInShare = (index: number, oneIn: number): boolean => isWhole || (index + seed) % oneIn === 0
