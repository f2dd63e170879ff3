// One button that switches between light, dark and the system's theme.

import { IconButton } from '../common/icon-button.tsx'
import { IconMoon, IconSun, IconSystem } from '../common/icons.tsx'
import { useStore } from '../state/store.ts'
import type { Theme } from '../theme.ts'
import { nextTheme, theme } from '../theme.ts'

const WORDS: Record<Theme, string> = {
  light: 'Theme: light. Switch to dark',
  dark: 'Theme: dark. Switch to the system theme',
  system: 'Theme: system. Switch to light',
}

export function ThemeSwitch() {
  const now = useStore(theme)
  return (
    <IconButton label={WORDS[now]} onClick={nextTheme}>
      {now === 'light' ? <IconSun size={18} /> : now === 'dark' ? <IconMoon size={18} /> : <IconSystem size={18} />}
    </IconButton>
  )
}
