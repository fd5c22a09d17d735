// The sandbox's clock and its snapshots, as tables and records.
import type {Snapshot, TableDifference} from '../store/snapshots.ts'
import type {ClockStatus} from '../time/clock.ts'
import type {View} from '../../cli/output/view.ts'
import {formatYesNo} from '../../cli/output/format-values.ts'

export const clockView: View<ClockStatus> = {
  singular: 'clock',
  plural: 'clocks',
  columns: [
    {name: 'now', header: 'NOW', value: (c) => c.now, rank: 0},
    {name: 'frozen', header: 'FROZEN', value: (c) => c.frozen, format: formatYesNo, rank: 0},
    {
      name: 'offsetMs',
      header: 'AHEAD OF THE WALL',
      value: (c) => c.offsetMs,
      format: (ms) => `${Math.round(Number(ms) / 1000)} s`,
      rank: 0,
    },
  ],
}

export const snapshotView: View<Snapshot> = {
  singular: 'snapshot',
  plural: 'snapshots',
  columns: [
    {name: 'name', header: 'NAME', value: (s) => s.name, rank: 0},
    {name: 'savedAt', header: 'SAVED AT', value: (s) => s.savedAt, rank: 1},
    {name: 'bytes', header: 'BYTES', value: (s) => s.bytes, rank: 2, align: 'right'},
  ],
}

export interface SnapshotFile {
  name: string
  file: string
  bytes: number
}

export const snapshotFileView: View<SnapshotFile> = {
  singular: 'file',
  plural: 'files',
  columns: [
    {name: 'name', header: 'NAME', value: (f) => f.name, rank: 0},
    {name: 'file', header: 'FILE', value: (f) => f.file, rank: 0},
    {name: 'bytes', header: 'BYTES', value: (f) => f.bytes, rank: 1, align: 'right'},
  ],
}

export const differenceView: View<TableDifference> = {
  singular: 'difference',
  plural: 'differences',
  columns: [
    {name: 'table', header: 'TABLE', value: (d) => d.table, rank: 0},
    {name: 'added', header: 'ADDED', value: (d) => d.added, rank: 0, align: 'right'},
    {name: 'removed', header: 'REMOVED', value: (d) => d.removed, rank: 0, align: 'right'},
    {name: 'changed', header: 'CHANGED', value: (d) => d.changed, rank: 0, align: 'right'},
    {name: 'rows', header: 'ROWS', value: (d) => d.rows, rank: 1, widthGood: 20, widthMin: 12},
  ],
}
