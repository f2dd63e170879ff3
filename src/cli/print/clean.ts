// JSON that is safe to print. Text is made safe by model/clean.ts.
import { toJson } from '../../bytes/json.ts'

export { cleanLine, cleanText, cleanTextWithPath } from '../../model/clean.ts'

const UNESCAPED_BY_JSON = /[\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** JSON that is also safe to print: characters that JSON leaves raw are written as escapes. */
export function cleanJson(value: unknown, indent?: number): string {
  return escapeRaw(indent === undefined ? toJson(value) : JSON.stringify(value, null, indent))
}

export function escapeRaw(json: string): string {
  return json.replace(UNESCAPED_BY_JSON, escapeOf)
}

/** The same for a lot of JSON in UTF-8. The same buffer if there is nothing to escape. */
export function escapeRawBytes(json: Buffer): Buffer {
  const places = rawPlaces(json)
  if (places === undefined) return Buffer.from(escapeRaw(json.toString()))
  if (places.length === 0) return json
  const pieces: Buffer[] = []
  let from = 0
  for (const at of places.sort((one, other) => one - other)) {
    const end = at + lengthFrom(json[at] ?? 0)
    pieces.push(json.subarray(from, at), Buffer.from(escapeOf(json.toString('utf8', at, end))))
    from = end
  }
  return Buffer.concat([...pieces, json.subarray(from)])
}

/** The same in place, for the first bytes of a buffer. Returns how many they become; undefined if there is no room. */
export function escapeRawIn(buffer: Buffer, length: number): number | undefined {
  const json = buffer.subarray(0, length)
  const places = rawPlaces(json)
  if (places === undefined) {
    const clean = Buffer.from(escapeRaw(json.toString()))
    if (clean.length > buffer.length) return undefined
    return clean.copy(buffer)
  }
  const added = places.reduce((sum, at) => sum + ESCAPE_BYTES - lengthFrom(json[at] ?? 0), 0)
  if (length + added > buffer.length) return undefined
  // From the end on: what stands before a place is not moved yet.
  let from = length
  let to = length + added
  for (const at of places.sort((one, other) => other - one)) {
    const end = at + lengthFrom(json[at] ?? 0)
    const written = escapeOf(json.toString('utf8', at, end))
    to -= from - end
    // In shared memory, copyWithin takes ten times as long.
    buffer.copy(buffer, to, end, from)
    to -= ESCAPE_BYTES
    buffer.write(written, to)
    from = at
  }
  return length + added
}

const ESCAPE_BYTES = 6

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** The bytes with which these characters begin. Searching for each is faster than reading all bytes. */
const LEADS = [0x7f, 0xc2, 0xd8, 0xe2]
const BYTES_PER_LEAD = 64

/** The places of the characters. Undefined if so many begin like them that the text should be searched instead. */
function rawPlaces(json: Buffer): number[] | undefined {
  const places: number[] = []
  let left = json.length / BYTES_PER_LEAD
  for (const lead of LEADS)
    for (let at = json.indexOf(lead); at !== -1; at = json.indexOf(lead, at + 1)) {
      if (left-- < 0) return undefined
      if (isRaw(lead, json[at + 1] ?? 0, json[at + 2] ?? 0)) places.push(at)
    }
  return places
}

function isRaw(lead: number, second: number, third: number): boolean {
  switch (lead) {
    // U+007F
    case 0x7f:
      return true
    // U+0080 to U+009F
    case 0xc2:
      return second < 0xa0
    // U+061C
    case 0xd8:
      return second === 0x9c
    // U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069
    default:
      if (second === 0x80) return third === 0x8e || third === 0x8f || (third >= 0xa8 && third <= 0xae)
      return second === 0x81 && third >= 0xa6 && third <= 0xa9
  }
}

function lengthFrom(lead: number): number {
  if (lead === 0x7f) return 1
  return lead === 0xe2 ? 3 : 2
}
