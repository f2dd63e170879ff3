// Where something is, in words.
import type { Place } from '../model/message.ts'

export function describePlace(place: Place): string {
  if ('table' in place) return `table ${place.table}, row ${place.row}`
  return `bytes ${place.start.toLocaleString('en')} to ${place.end.toLocaleString('en')}`
}
