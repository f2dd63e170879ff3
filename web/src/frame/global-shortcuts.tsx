// Shortcuts of the whole page. Mounted first, so that the shortcuts of the panes take precedence.

import { activeRow } from '../catalog/use-list-keys.ts'
import { useShortcut } from '../keyboard.ts'
import { openTerminal, repairSession, resumeSession, undoSession } from '../state/actions.ts'
import { view } from '../state/view.ts'
import { goBack, leadHome } from './back.ts'
import { NEW_CONVERSATION, ON_SESSION, overlay } from './overlay.ts'

export function GlobalShortcuts() {
  useShortcut('mod+k', 'Search and actions', () => overlay.set('palette'))
  useShortcut('?', 'Keyboard help', () => overlay.set('help'))
  useShortcut('g h', 'Home', leadHome)
  useShortcut('Escape', 'Back', goBack)
  useShortcut('r', ON_SESSION.resume, () => withSession(resumeSession))
  useShortcut('x', ON_SESSION.repair, () => withSession(repairSession))
  useShortcut('u', ON_SESSION.undo, () => withSession(undoSession))
  useShortcut('c', NEW_CONVERSATION, () => overlay.set('new-conversation'))
  useShortcut('t', 'Open a terminal', () => void openTerminal())
  return null
}

/** The open conversation, or the active row of the list. */
function withSession(act: (key: string) => unknown): boolean {
  const key = view.get().session ?? activeRow.get()
  if (key !== null) act(key)
  return key !== null
}
