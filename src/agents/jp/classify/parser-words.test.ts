// The errors of serde_json 1.0.149, recorded as JP's validator calls it: for any JSON (metadata.json, base_config.json)
// and for a list of events.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { validatorText } from '../loader.ts'
import { classifyEvents } from './classify-file.ts'
import { scanJson } from './scan-json.ts'
import { faultText } from './state.ts'

const recorded = z
  .array(z.object({ bytes: z.string(), anyJson: z.string(), events: z.string(), loads: z.boolean() }))
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures', 'parser-words.json'), 'utf8')))
  .map(one => ({ ...one, name: JSON.stringify(one.bytes) }))

test.each(recorded)('$name is reported in the words of JP', ({ bytes, anyJson, events, loads }) => {
  const { fault, soft } = scanJson(Buffer.from(bytes))
  expect(fault === undefined ? 'ok' : faultText(fault)).toBe(anyJson)
  expect(fault === undefined && soft.length === 0).toBe(loads)
  expect(validatorText(classifyEvents([Buffer.from(bytes)]).condition) ?? 'ok').toBe(events)
})

test.each(recorded)('$name is reported in the same words when it comes byte by byte', ({ bytes, events }) => {
  const single = [...Buffer.from(bytes)].map(byte => Buffer.from([byte]))
  expect(validatorText(classifyEvents(single).condition) ?? 'ok').toBe(events)
})
