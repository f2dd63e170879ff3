// Whether the health panel is shown beside a conversation on a wide screen. Kept by the browser.
import { makeStore } from '../state/store.ts'

const KEY = 'rethread.health'

export const healthShown = makeStore(wasShown())

healthShown.subscribe(() => {
  try {
    localStorage.setItem(KEY, healthShown.get() ? 'shown' : 'hidden')
  } catch {
    // A browser that keeps nothing forgets it with the page.
  }
})

function wasShown(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'hidden'
  } catch {
    return true
  }
}
