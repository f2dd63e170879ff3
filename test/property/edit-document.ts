// One random edit of a JSON document that leaves it a JSON document: a field of something in it is set or removed, or an element of a list is repeated, moved or removed.
import type { Random } from '../support/random.ts'
import { below } from '../support/random.ts'
import type { Edited } from './edit-log.ts'
import { pick, setAny } from './edit-log.ts'

export function editDocument(text: string, random: Random): Edited {
  const document: unknown = JSON.parse(text)
  const places = containersIn(document)
  const place = pick(places, random)
  const what = Array.isArray(place) ? editList(place, random) : setAny(place as Record<string, unknown>, random)
  return { text: JSON.stringify(document, undefined, 2), what }
}

function editList(list: unknown[], random: Random): string {
  if (list.length === 0) return 'an empty list left as it is'
  const [here, there] = [below(random, list.length), below(random, list.length)]
  switch (below(random, 3)) {
    case 0:
      list.splice(here, 1)
      return `element ${here} removed`
    case 1:
      list.splice(there, 0, structuredClone(list[here]))
      return `element ${here} repeated at ${there}`
    default:
      list.splice(there, 0, ...list.splice(here, 1))
      return `element ${here} moved to ${there}`
  }
}

function containersIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return []
  return [value, ...Object.values(value).flatMap(containersIn)]
}
