// Whether a terminal shows more than ASCII. Nothing asks it: what its variables say has to do.

type Variables = Record<string, string | undefined>

/** A locale that names no character set, or none at all, is that of a minimal system: the terminal in front of it rarely is as old. */
export function hasUnicode(variables: Variables = process.env, platform: string = process.platform): boolean {
  if (platform === 'win32')
    return variables['WT_SESSION'] !== undefined || /^(xterm|alacritty|vscode)/.test(variables['TERM'] ?? '')
  // The console of the kernel has a font of 256 or 512 characters.
  if (variables['TERM'] === 'linux') return false
  const locale = variables['LC_ALL'] || variables['LC_CTYPE'] || variables['LANG'] || ''
  if (locale === 'C' || locale === 'POSIX') return false
  const charset = locale.split('.')[1]
  return charset === undefined || /^utf-?8\b/i.test(charset)
}
