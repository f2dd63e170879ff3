// Actions on a session, for shortcuts, buttons and the palette.
import { repairAsked, runUndo } from '../health/work.ts'
import { openShell, resumeHere } from '../terminal/pane-actions.ts'

/** In a terminal pane: checks the session, repairs it if needed, then runs the agent's own command. */
export function resumeSession(key: string): void {
  void resumeHere(key)
}

/** Opens the dialog that shows the changes and asks. */
export function repairSession(key: string): void {
  repairAsked.set({ key, hasBytes: false })
}

export function undoSession(key: string): void {
  void runUndo(key)
}

/** Opens a shell. Without a folder it starts in the folder of the open conversation, or at home. */
export function openTerminal(folder?: string): void {
  void openShell(folder)
}
