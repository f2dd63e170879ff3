// Whether the health panel is shown beside a conversation on a wide screen. Stored by the browser.
import { makeStore } from '../state/store.ts'

const KEY = 'rethread.health'

export const healthShown = makeStore(wasShown())

healthShown.subscribe(() => {
  try {
    localStorage.setItem(KEY, healthShown.get() ? 'shown' : 'hidden')
  } catch {
    // Without browser storage the choice is lost with the page.
  }
})

function wasShown(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'hidden'
  } catch {
    return true
  }
}
