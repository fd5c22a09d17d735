// A share of the cells of a long matrix, another one in every run. SVC_TEST_SEED repeats a share, and SVC_TEST_CELLS=all plays
// every cell, as `npm run soak` does.
const isWhole = process.env['SVC_TEST_CELLS'] === 'all'
const seed = Number(process.env['SVC_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

export const shareName = isWhole ? 'every cell' : `a share of the cells from seed ${seed}`

// How many random stories are played. Each run has other ones anyway, since their seed is random.
export const countInShare = (whole: number, oneIn: number): number => (isWhole ? whole : Math.ceil(whole / oneIn))

// Whether this cell belongs to the share of one in `oneIn` cells.
export const isInShare = (index: number, oneIn: number): boolean => isWhole || (index + seed) % oneIn === 0
