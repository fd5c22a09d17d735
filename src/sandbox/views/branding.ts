// The name and the logo that the hosted forms show, as a record.
import type {View} from '../../cli/output/view.ts'
import type {BrandingStatus} from '../forms/branding.ts'

const kilobyte = 1024

function formatLogo(value: unknown): string {
  const logo = value as BrandingStatus['logo']
  if (!logo) return 'none'
  return `${logo.type}, ${logo.width}x${logo.height} pixels, ${Math.ceil(logo.bytes / kilobyte)} KB`
}

export const brandingView: View<BrandingStatus> = {
  singular: 'branding',
  plural: 'branding',
  columns: [
    {name: 'name', header: 'NAME', value: ({name}) => name, format: (name) => name ?? 'none', rank: 0},
    {name: 'logo', header: 'LOGO', value: ({logo}) => logo, format: formatLogo, rank: 0},
  ],
}
