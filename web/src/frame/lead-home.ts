// The way home from anywhere: to the picture of the library, also where the list would hide it.
import { layoutNow } from '../common/use-layout.ts'
import { goHome, showHome } from '../state/view.ts'

export function leadHome(): void {
  if (layoutNow() === 'narrow') showHome()
  else goHome()
}
