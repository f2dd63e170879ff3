// metadata.json made anew: every field that can still be read, byte for byte, and defaults only for what JP cannot do without.
import { OPEN_BRACE } from '../../../bytes/ascii.ts'
import { parseJson } from '../../../bytes/json.ts'
import { asText } from '../../stores/values.ts'
import { scanJson } from '../classify/scan-json.ts'
import { checkMetadata } from '../classify/shape-metadata.ts'
import { timeOfId, titleOfSlug } from '../ids.ts'
import { formatTime } from '../times.ts'
import { membersOf } from './json-spans.ts'
import { blank, findUntidy } from './tidy-json.ts'

const TITLE = 'title'
const ACTIVATED = 'last_activated_at'
/** Stands in while another field is looked at. */
const ANY_TIME = '2000-01-01 00:00:00.0'

export interface MetadataSources {
  id: string
  slug: string | undefined
  /** What another copy says, where that is damaged too. */
  otherTitle: string | undefined
}

export interface NewMetadata {
  bytes: Buffer
  /** The names of the fields that could still be read. */
  kept: string[]
}

/** `damaged` is undefined where there was no such file. */
export function makeMetadata(damaged: Buffer | undefined, sources: MetadataSources): NewMetadata {
  const fields = damaged === undefined ? new Map<string, string>() : readableFields(damaged)
  const kept = [...fields.keys()]
  const title = fields.get(TITLE) ?? quoted(sources.otherTitle ?? titleOfSlug(sources.slug))
  const activated = fields.get(ACTIVATED) ?? JSON.stringify(formatTime(timeOfId(sources.id)))
  const lines = [
    ...(title === undefined ? [] : [[TITLE, title]]),
    [ACTIVATED, activated],
    ...[...fields].filter(([name]) => name !== TITLE && name !== ACTIVATED),
  ].map(([name, value]) => `  ${JSON.stringify(name)}: ${value}`)
  return { bytes: Buffer.from(`{\n${lines.join(',\n')}\n}\n`), kept }
}

/** The title in a file that may be damaged. */
export function readableTitle(bytes: Buffer): string | undefined {
  const title = readableFields(bytes).get(TITLE)
  return title === undefined ? undefined : asText(parseJson(Buffer.from(title)))
}

/** Name and stored value of each member that is whole, valid, and what JP takes for such a field. */
function readableFields(bytes: Buffer): Map<string, string> {
  const fields = new Map<string, string>()
  const tidy = blank(bytes, findUntidy(bytes))
  const open = tidy.indexOf(OPEN_BRACE)
  if (open === -1) return fields
  for (const { key, start, value } of membersOf(tidy, open).members) {
    const stored = tidy.subarray(value.start, value.end)
    if (fields.has(key) || !isSound(tidy.subarray(start, value.end)) || !isTaken(key, parseJson(stored))) continue
    fields.set(key, stored.toString('utf8'))
  }
  return fields
}

function isSound(member: Buffer): boolean {
  const { fault, soft } = scanJson(Buffer.concat([Buffer.from('{'), member, Buffer.from('}')]))
  return fault === undefined && soft.length === 0
}

function isTaken(key: string, value: unknown): boolean {
  return checkMetadata({ [ACTIVATED]: ANY_TIME, [key]: value }).length === 0
}

function quoted(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : JSON.stringify(text)
}
