// Opens the database of the fleet for its schedules.
import type {JournalAddress} from '../../storage/journal-address.ts'
import {type FleetDatabase, withFleet} from '../batches/open-fleet.ts'

export const withSchedules = <T>(address: JournalAddress, work: (fleet: FleetDatabase) => Promise<T>): Promise<T> =>
  withFleet(address, work, 'schedules')
