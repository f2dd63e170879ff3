// Recreates metadata.json. Every readable field is copied byte for byte. Only the fields that JP requires get
// defaults.
import { OPEN_BRACE } from '../../../bytes/ascii.ts'
import { parseJson } from '../../../bytes/json.ts'
import { asText } from '../../stores/values.ts'
import { scanJson } from '../classify/scan-json.ts'
import { timeOfId, titleOfSlug } from '../ids.ts'
import type { Member } from '../json-spans.ts'
import { blank, findUntidy, membersOf } from '../json-spans.ts'
import { checkShape } from '../schema/check.ts'
import { METADATA_SHAPE } from '../schema/conversation.ts'
import { formatTime } from '../times.ts'

const TITLE = 'title'
const ACTIVATED = 'last_activated_at'
/** The only field that is an object. */
const LABELS = 'labels'
/** A placeholder for the required field while another field is checked. */
const ANY_TIME = '2000-01-01 00:00:00.0'

interface MetadataSources {
  id: string
  slug: string | undefined
  /** The title in another damaged copy. */
  otherTitle: string | undefined
}

interface NewMetadata {
  bytes: Buffer
  /** The names of the readable fields. */
  kept: string[]
}

/** `damaged` is undefined if the file is missing. */
export function makeMetadata(damaged: Buffer | undefined, sources: MetadataSources): NewMetadata {
  const { fields, isShort } = readableFields(damaged ?? Buffer.alloc(0))
  const kept = [...fields.keys()].map(name => (name === LABELS && isShort ? `some ${name}` : name))
  const title = fields.get(TITLE) ?? quoted(sources.otherTitle ?? titleOfSlug(sources.slug))
  const activated = fields.get(ACTIVATED) ?? JSON.stringify(formatTime(timeOfId(sources.id)))
  const lines = [
    ...(title === undefined ? [] : [[TITLE, title]]),
    [ACTIVATED, activated],
    ...[...fields].filter(([name]) => name !== TITLE && name !== ACTIVATED),
  ].map(([name, value]) => `  ${JSON.stringify(name)}: ${value}`)
  return { bytes: Buffer.from(`{\n${lines.join(',\n')}\n}\n`), kept }
}

/** Returns the title in a file that may be damaged. */
export function readableTitle(bytes: Buffer): string | undefined {
  const title = readableFields(bytes).fields.get(TITLE)
  return title === undefined ? undefined : asText(parseJson(Buffer.from(title)))
}

interface Readable {
  /** The name and the stored value of each complete and valid member that JP accepts. */
  fields: Map<string, string>
  /** Some labels are not readable. */
  isShort: boolean
}

function readableFields(bytes: Buffer): Readable {
  const fields = new Map<string, string>()
  const tidy = blank(bytes, findUntidy(bytes))
  const open = tidy.indexOf(OPEN_BRACE)
  if (open === -1) return { fields, isShort: false }
  const { members, close } = membersOf(tidy, open)
  const cut = close === undefined ? startOfCutLabels(tidy, members.at(-1)?.value.end ?? open + 1) : undefined
  for (const member of members) {
    const { key, value } = member
    if (!fields.has(key) && isReadable(tidy, member)) fields.set(key, tidy.toString('utf8', value.start, value.end))
  }
  if (fields.has(LABELS)) return { fields, isShort: false }
  const damaged = members.find(({ key }) => key === LABELS)?.value.start ?? cut
  const labels = damaged === undefined ? undefined : goodLabels(tidy, damaged)
  if (labels !== undefined) fields.set(LABELS, labels)
  return { fields, isShort: labels !== undefined }
}

function isReadable(bytes: Buffer, { key, start, value }: Member): boolean {
  return isSound(bytes.subarray(start, value.end)) && isAccepted(key, parseJson(bytes.subarray(value.start, value.end)))
}

/** Checks each label on its own, so that a bad label does not cost the others. */
function goodLabels(bytes: Buffer, at: number): string | undefined {
  if (bytes[at] !== OPEN_BRACE) return undefined
  const good = membersOf(bytes, at).members.filter(({ key, start, value }) => {
    const label = parseJson(bytes.subarray(value.start, value.end))
    return isSound(bytes.subarray(start, value.end)) && isAccepted(LABELS, { [key]: label })
  })
  const lines = good.map(({ start, value }) => `    ${bytes.toString('utf8', start, value.end)}`)
  return lines.length === 0 ? undefined : `{\n${lines.join(',\n')}\n  }`
}

/** Returns the start of a labels object in which the readable part of the file ends. */
function startOfCutLabels(bytes: Buffer, from: number): number | undefined {
  const [found] = /^[\s,]*"labels"\s*:\s*(?=\{)/.exec(bytes.toString('latin1', from)) ?? []
  return found === undefined ? undefined : from + found.length
}

function isSound(member: Buffer): boolean {
  const { fault, soft } = scanJson(Buffer.concat([Buffer.from('{'), member, Buffer.from('}')]))
  return fault === undefined && soft.length === 0
}

function isAccepted(key: string, value: unknown): boolean {
  return checkShape(METADATA_SHAPE, { [ACTIVATED]: ANY_TIME, [key]: value }).length === 0
}

function quoted(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : JSON.stringify(text)
}
