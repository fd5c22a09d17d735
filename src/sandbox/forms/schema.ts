// The table that stores files of forms that were not accepted yet.
import type {TableGroup} from '../store/table-group.ts'

export const formTables: TableGroup = {
  namesInDeletionOrder: ['formUploads'],
  sql: `
  create table formUploads (
    seq integer primary key,
    reference text not null unique,
    formToken text not null,
    name text not null,
    type text not null,
    bytes blob not null,
    expiresAt integer not null
  ) strict;
  create index formUploadsByForm on formUploads (formToken, seq);
  `,
}
