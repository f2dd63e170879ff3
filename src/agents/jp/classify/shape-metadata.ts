// metadata.json: what JP needs to load it. Its validator looks at none of this.
import type { Json } from '../../stores/values.ts'
import { asObject } from '../../stores/values.ts'
import { parseTime } from '../times.ts'
import type { Mismatch } from './json-value.ts'
import { expected, isText } from './json-value.ts'

const TIMES = ['pinned_at', 'archived_at', 'expires_at']
const LABEL = /^[A-Za-z0-9_-]+$/

export function checkMetadata(value: unknown): Mismatch[] {
  const metadata = asObject(value)
  if (metadata === undefined) return [expected('', 'an object', value ?? null)]
  return [...checkTitle(metadata), ...checkTimes(metadata), ...checkLabels(metadata['labels'])]
}

function checkTitle({ title }: Json): Mismatch[] {
  return title === undefined || title === null || isText(title) ? [] : [expected('title', 'a string', title)]
}

function checkTimes(metadata: Json): Mismatch[] {
  const activated = metadata['last_activated_at']
  const wrong = parseTime(activated) === undefined ? [expectedTime('last_activated_at', activated)] : []
  for (const name of TIMES) {
    const value = metadata[name]
    if (value !== undefined && value !== null && parseTime(value) === undefined) wrong.push(expectedTime(name, value))
  }
  return wrong
}

function expectedTime(path: string, value: unknown): Mismatch {
  return isText(value) ? { path, text: 'is not a time that JP reads' } : expected(path, 'a time', value)
}

function checkLabels(value: unknown): Mismatch[] {
  if (value === undefined) return []
  const labels = asObject(value)
  if (labels === undefined) return [expected('labels', 'an object', value)]
  return Object.entries(labels).flatMap(([name, text]) => {
    if (!LABEL.test(name)) return [{ path: `labels.${name}`, text: 'has a name that JP does not take' }]
    return isText(text) ? [] : [expected(`labels.${name}`, 'a string', text)]
  })
}
