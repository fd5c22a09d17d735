// The integrator's name and logo, which the hosted forms show. They are kept in the database.
import {ControlError} from '../operations/control-error.ts'
import {runOperation} from '../service/operation.ts'
import type {SandboxEnvironment} from '../service/request-context.ts'
import type {Database} from '../store/database.ts'
import type {Logo} from './check-logo.ts'

export interface Branding {
  name?: string
  // A data URI, which a page can show without another request.
  logo?: string
}

export interface BrandingStatus {
  name: string | null
  logo: {type: string; bytes: number; width: number; height: number} | null
}

interface BrandingChanges {
  name?: string | undefined
  logo?: Buffer<ArrayBuffer> | undefined
}

export interface BrandingControls {
  show(): BrandingStatus
  // Changes what is given, and keeps the rest.
  set(changes: BrandingChanges): Promise<BrandingStatus>
  clear(): BrandingStatus
}

const nameLengthMax = 80

interface BrandingRow {
  name: string | null
  logoType: string | null
  logo: Uint8Array<ArrayBuffer> | null
  logoWidth: number | null
  logoHeight: number | null
}

const readRow = (database: Database) =>
  database.one<BrandingRow>('select name, logoType, logo, logoWidth, logoHeight from branding')

export function readBranding(database: Database): Branding {
  const {name, logoType, logo} = readRow(database) ?? {}
  return {
    ...(name && {name}),
    ...(logo && logoType && {logo: `data:${logoType};base64,${Buffer.from(logo).toString('base64')}`}),
  }
}

function readStatus(database: Database): BrandingStatus {
  const {name = null, logoType, logo, logoWidth, logoHeight} = readRow(database) ?? {}
  if (!logo || !logoType) return {name, logo: null}
  return {name, logo: {type: logoType, bytes: logo.length, width: logoWidth ?? 0, height: logoHeight ?? 0}}
}

function checkName(name: string): string {
  const trimmed = name.trim()
  if (trimmed === '') throw new ControlError('The name is empty')
  if (trimmed.length > nameLengthMax) throw new ControlError(`The name has more than ${nameLengthMax} characters`)
  return trimmed
}

const createRow = 'insert into branding (onlyRow) values (1) on conflict do nothing'
const storeLogo = 'update branding set logoType = ?, logo = ?, logoWidth = ?, logoHeight = ?'

function setBranding(database: Database, name: string | undefined, logo: Logo | undefined): BrandingStatus {
  database.run(createRow)
  if (name !== undefined) database.run('update branding set name = ?', checkName(name))
  if (logo) database.run(storeLogo, logo.type, logo.bytes, logo.width, logo.height)
  return readStatus(database)
}

export const createBrandingControls = (environment: SandboxEnvironment): BrandingControls => ({
  show: () => readStatus(environment.database),
  async set({name, logo: bytes}) {
    // Loaded on demand, because most processes never check an image.
    const logo = bytes && (await import('./check-logo.ts')).checkLogo(bytes)
    return runOperation(environment, ({database}) => setBranding(database, name, logo))
  },
  clear: () =>
    runOperation(environment, ({database}) => {
      database.run('delete from branding')
      return readStatus(database)
    }),
})
