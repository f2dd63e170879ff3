// One random edit of a log of JSON lines, of the kinds that crashes, clocks, tools and people make. Every line stays JSON, so that no broken line explains anything.
import type { Random } from '../support/random.ts'
import { below } from '../support/random.ts'

export interface Edited {
  text: string
  what: string
}

type Json = Record<string, unknown>

const VALUES: readonly unknown[] = [undefined, null, 7, 'x', {}, [], true, '', '2099-01-01T00:00:00.000Z']
const HOUR_MS = 3_600_000

export function editLog(text: string, random: Random): Edited {
  const lines = text.split('\n').filter(line => line !== '')
  const [here, there] = [below(random, lines.length), below(random, lines.length)]
  const edit = pick(EDITS, random)
  const what = edit(lines, here, there, random)
  return { text: `${lines.join('\n')}\n`, what }
}

type Edit = (lines: string[], here: number, there: number, random: Random) => string

const EDITS: readonly Edit[] = [
  (lines, here) => {
    lines.splice(here, 1)
    return `line ${here} removed`
  },
  (lines, here, there) => {
    lines.splice(there, 0, lines[here] ?? '')
    return `line ${here} repeated at ${there}`
  },
  (lines, here, there) => {
    const [line = ''] = lines.splice(here, 1)
    lines.splice(there, 0, line)
    return `line ${here} moved to ${there}`
  },
  (lines, here, there) => {
    const [from, to] = [Math.min(here, there), Math.max(here, there) + 1]
    lines.push(...lines.slice(from, to))
    return `lines ${from} to ${to} appended again`
  },
  setField,
  setField,
  setField,
  setInnerField,
  setInnerField,
  (lines, here, there) => {
    const parent = recordAt(lines, there)['uuid']
    return change(lines, here, record => {
      if ('parentUuid' in record) record['parentUuid'] = parent ?? null
      return 'parent taken from another record'
    })
  },
  (lines, here) =>
    change(lines, here, record => {
      if ('parentUuid' in record) record['parentUuid'] = null
      return 'made a root'
    }),
  (lines, here, _, random) =>
    change(lines, here, record => {
      const time = Date.parse(String(record['timestamp'])) + pick([-1, 1, 24], random) * HOUR_MS
      if (!Number.isNaN(time)) record['timestamp'] = new Date(time).toISOString()
      return 'dated otherwise'
    }),
]

function setField(lines: string[], here: number, _: number, random: Random): string {
  return change(lines, here, record => setAny(record, random))
}

function setInnerField(lines: string[], here: number, _: number, random: Random): string {
  return change(lines, here, record => {
    const inner = record['message'] ?? record['payload']
    return typeof inner === 'object' && inner !== null ? setAny(inner as Json, random) : setAny(record, random)
  })
}

export function setAny(object: Json, random: Random): string {
  const name = pick(Object.keys(object), random) ?? 'none'
  const value = pick(VALUES, random)
  if (value === undefined) delete object[name]
  else object[name] = value
  return `${name} set to ${JSON.stringify(value)}`
}

function change(lines: string[], here: number, edit: (record: Json) => string): string {
  const record = recordAt(lines, here)
  const what = edit(record)
  lines[here] = JSON.stringify(record)
  return `line ${here}: ${what}`
}

function recordAt(lines: readonly string[], place: number): Json {
  return JSON.parse(lines[place] ?? '{}') as Json
}

export function pick<T>(list: readonly T[], random: Random): T {
  const found = list[below(random, list.length)]
  if (found === undefined && list.length === 0) throw new Error('nothing to choose from')
  return found as T
}
