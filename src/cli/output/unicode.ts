// Whether the terminal shows characters beyond ASCII, such as the pointer of a list and the lines of a box.

// The first of these that is set names the character encoding.
const localeVariables = ['LC_ALL', 'LC_CTYPE', 'LANG'] as const

// A terminal without any locale is taken for a modern one: a container often has none.
export function supportsUnicode(env: NodeJS.ProcessEnv = process.env, platform = process.platform): boolean {
  if (env['TERM'] === 'linux' || env['TERM'] === 'dumb') return false
  if (platform === 'win32') return Boolean(env['WT_SESSION'] ?? env['TERM_PROGRAM'] ?? env['TERM'])
  const locale = localeVariables.map((name) => env[name]).find(Boolean)
  return locale === undefined || /utf-?8/i.test(locale)
}
