// Shortcuts that work wherever one is. Drawn first, so that the panes' own keys go before these.
import { useShortcut } from '../keyboard.ts'
import { activeRow } from '../library/active-row.ts'
import { openTerminal, repairSession, resumeSession, undoSession } from '../state/actions.ts'
import { view } from '../state/view.ts'
import { goBack } from './back.ts'
import { leadHome } from './lead-home.ts'
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

/** The open conversation, or the one that the keyboard is at. */
function withSession(act: (key: string) => unknown): boolean {
  const key = view.get().session ?? activeRow.get()
  if (key !== null) act(key)
  return key !== null
}
