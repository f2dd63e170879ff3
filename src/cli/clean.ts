// JSON that is safe to print. Text is made safe by model/clean.ts.
import { toJson } from '../bytes/json.ts'

export { cleanLine, cleanText, cleanTextWithPath } from '../model/clean.ts'

const UNESCAPED_BY_JSON = /[\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** JSON that is also safe to print: characters that JSON leaves raw are written as escapes. */
export function cleanJson(value: unknown, indent?: number): string {
  return escapeRaw(indent === undefined ? toJson(value) : JSON.stringify(value, null, indent))
}

export function escapeRaw(json: string): string {
  return json.replace(UNESCAPED_BY_JSON, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
