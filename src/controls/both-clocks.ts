// Judges time by two clocks, the service's and this machine's. The earlier one permits and the
// later one forbids, so that a clock that is wrong neither shortens a wait nor lengthens the life
// of an approval.

// All in milliseconds.
export interface BothClocks {
  // The bounds of the service's clock.
  earliest(): number
  latest(): number
  // The clock of this machine.
  wall(): number
}

// Where no service is asked.
export const machineClock: BothClocks = {earliest: () => Date.now(), latest: () => Date.now(), wall: () => Date.now()}

export const readEarlier = (clock: BothClocks): number => Math.min(clock.wall(), clock.earliest())

export const readLater = (clock: BothClocks): number => Math.max(clock.wall(), clock.latest())
