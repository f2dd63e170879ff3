// What shortcuts, buttons and the palette do with a session, wherever they stand.
import { repairAsked, runUndo } from '../health/work.ts'
import { openShell, resumeHere } from '../terminal/pane-actions.ts'

/** In a terminal pane: checked, repaired where it needs it, then the agent's own command. */
export function resumeSession(key: string): void {
  void resumeHere(key)
}

/** Asks first, and says what would be changed. */
export function repairSession(key: string): void {
  repairAsked.set({ key, hasBytes: false })
}

export function undoSession(key: string): void {
  void runUndo(key)
}

/** A shell; without a folder in that of the open conversation, or at home. */
export function openTerminal(folder?: string): void {
  void openShell(folder)
}
