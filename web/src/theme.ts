// The theme: light, dark, or the system's. The browser stores the choice; public/theme.js applies it before
// the first paint.
import { makeStore } from './state/store.ts'

export type Theme = 'light' | 'dark' | 'system'

const KEY = 'rethread.theme'
const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' }

export const theme = makeStore<Theme>(chosen())

export function nextTheme(): Theme {
  const next = NEXT[theme.get()]
  theme.set(next)
  apply(next)
  return next
}

function apply(next: Theme): void {
  if (next === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = next
  try {
    localStorage.setItem(KEY, next)
  } catch {
    // Without browser storage the choice is lost with the page.
  }
}

function chosen(): Theme {
  const set = document.documentElement.dataset['theme']
  return set === 'light' || set === 'dark' ? set : 'system'
}
