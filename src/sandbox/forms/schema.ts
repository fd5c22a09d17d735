// The tables of forms that were not accepted yet, their files, and what the pages show of the integrator.
import type {TableGroup} from '../store/table-group.ts'

export const formTables: TableGroup = {
  namesInDeletionOrder: ['formUploads', 'formDrafts', 'branding'],
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
  create table formDrafts (
    formToken text primary key,
    -- A digest of the data that the draft was made from.
    basis text not null,
    step text not null,
    content text not null,
    savedAt integer not null
  ) strict;
  create table branding (
    onlyRow integer primary key check (onlyRow = 1),
    name text,
    logoType text,
    logo blob,
    logoWidth integer,
    logoHeight integer
  ) strict;
  create index formUploadsByForm on formUploads (formToken, seq);
  `,
}
