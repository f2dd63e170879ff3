// Navigation steps: back from a pane to the conversation, back from the conversation to the list, and home.
import { layoutNow } from '../common/use-layout.ts'
import { goHome, showHome, showPane, view } from '../state/view.ts'

/** The keyboard continues at the row of the conversation that was left. */
function leave(): void {
  goHome()
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) document.querySelector<HTMLElement>('#conversations')?.focus()
  })
}

/** Returns false if there is no step left. */
export function goBack(): boolean {
  const { session, pane } = view.get()
  const isAside = layoutNow() !== 'wide' && (pane === 'health' || pane === 'terminal')
  if (isAside && session !== null) showPane('conversation')
  else if (session !== null || pane !== 'list') leave()
  else return false
  return true
}

export function leadHome(): void {
  if (layoutNow() === 'narrow') showHome()
  else goHome()
}
