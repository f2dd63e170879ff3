// One step back: from a pane to the conversation, from the conversation to the list.
import { layoutNow } from '../common/use-layout.ts'
import { goHome, showPane, view } from '../state/view.ts'

/** The row of the conversation that was left is where the keyboard goes on. */
function leave(): void {
  goHome()
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) document.querySelector<HTMLElement>('#conversations')?.focus()
  })
}

/** False where there is no step left. */
export function goBack(): boolean {
  const { session, pane } = view.get()
  const isAside = layoutNow() !== 'wide' && (pane === 'health' || pane === 'terminal')
  if (isAside && session !== null) showPane('conversation')
  else if (session !== null || pane !== 'list') leave()
  else return false
  return true
}
