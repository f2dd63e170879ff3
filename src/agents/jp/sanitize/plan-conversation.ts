// Plans all changes to the files of one conversation, in all its
// copies, and asks every question. Changes nothing.

import { OPEN_BRACKET } from '../../../bytes/ascii.ts'
import { applyEdits } from '../../../bytes/edits.ts'
import { skipSpaces } from '../../../bytes/text.ts'
import type { ReportEntry } from '../../sanitizer.ts'
import { asObject } from '../../stores/values.ts'
import type { EventsFacts } from '../classify/classify-file.ts'
import type { CopyState } from '../classify/index.ts'
import { isHealthy } from '../classify/state.ts'
import { timeOfId } from '../ids.ts'
import { BASE_CONFIG, EVENTS, INIT_CONFIG } from '../names.ts'
import { readArray } from '../store/event-file.ts'
import { formatTime } from '../times.ts'
import type { FilePlan } from './apply-files.ts'
import { inOrder } from './apply-files.ts'
import { lastModel } from './config-sources.ts'
import { decideFlags } from './decide-flags.ts'
import type { Diagnosis } from './diagnosis.ts'
import { conditionText, hasDamagedInit } from './diagnosis.ts'
import type { SanitizeJob } from './job.ts'
import { entryFor } from './job.ts'
import { eventsAfter, planEvents } from './plan-events.ts'
import { baseOf, bytesOf, namedOf, planBaseConfig, planInitConfig, planMetadata, soundCopy } from './plan-files.ts'

type ConversationPlan =
  | { type: 'trash'; copies: CopyState[]; error: string }
  | { type: 'blocked'; text: string }
  | { type: 'files'; plans: FilePlan[]; lockedOut: ReportEntry[]; left: ReportEntry[] }

/** `asksAll` also asks the questions that do not apply when the events are left unchanged. */
export async function planConversation(
  job: SanitizeJob,
  diagnosis: Extract<Diagnosis, { type: 'repair' }>,
  { asksAll = false } = {},
): Promise<ConversationPlan> {
  const { copies } = diagnosis
  const outcome = await planEvents(job, diagnosis)
  if (outcome.type === 'trash') return { type: 'trash', copies, error: outcome.error }
  if (outcome.type === 'blocked') return outcome
  const events = outcome.type === 'plans' ? outcome.plans : []
  const id = copies.map(copy => namedOf(copy)?.id).find(found => found !== undefined) ?? '0'
  const after = eventsAfter(events)
  const base = planBaseConfig(copies, after, {
    environment: job.options.environment,
    workspace: job.workspace,
    donors: job.donors,
    id,
    model: modelIn(copies, events),
    deltas: deltasIn(copies, after),
  })
  const plans = [...planMetadata(copies), ...base, ...events]
  const isLeft = outcome.type === 'left'
  const delta = isLeft && !asksAll ? undefined : await overrides(job, copies, id, plans)
  if (!isLeft) plans.push(...planInitConfig(copies, id, delta))
  const added = delta === undefined ? plans : withDelta(copies, plans, id, delta)
  const lockedOut = copies.flatMap(copy => {
    if (outcome.type === 'locked-out')
      return [entryFor('lockedOut', copy.folder, outcome.text, { file: EVENTS, error: outcome.text })]
    const text = 'its config is in the first event, in a form that newer versions of JP do not read'
    return after(copy)?.first === 'inline-config' && !isThereAfter(copy, plans)
      ? [entryFor('lockedOut', copy.folder, text, { file: EVENTS, error: text })]
      : []
  })
  const left = isLeft ? copies.flatMap(copy => leftIn(copy, outcome.text)) : []
  return { type: 'files', plans: inOrder(added), lockedOut, left }
}

/**
 * JP reads overrides only in the events. While the events are damaged, no flags are asked for; the next run
 * asks.
 */
function leftIn(copy: CopyState, text: string): ReportEntry[] {
  const entries = [entryFor('left', copy.folder, text, { file: EVENTS, error: text })]
  if (!hasDamagedInit(copy)) return entries
  const why = `${conditionText(copy.files[INIT_CONFIG])}. It is asked for once ${EVENTS} is repaired`
  return [...entries, entryFor('left', copy.folder, why, { file: INIT_CONFIG, error: why })]
}

/** Asks for the flags if a rebuilt base config has lost them, or if an init_config.json is damaged. */
async function overrides(
  job: SanitizeJob,
  copies: readonly CopyState[],
  id: string,
  plans: readonly FilePlan[],
): Promise<Record<string, unknown> | undefined> {
  const short = plans.find(({ losesFlags }) => losesFlags)
  const damaged = copies.find(hasDamagedInit) ?? short?.copy
  if (damaged === undefined || soundCopy(copies, INIT_CONFIG) !== undefined) return undefined
  const delta = await decideFlags(job, damaged, id, baseOf(copies, plans))
  // The flags are in the events now.
  if (delta !== undefined) for (const plan of plans) if (plan.losesFlags) delete plan.remark
  return delta
}

/**
 * Adds the overrides to the events of every copy that has a base_config.json. In the other layouts the first
 * event is the base config.
 */
function withDelta(
  copies: readonly CopyState[],
  plans: readonly FilePlan[],
  id: string,
  delta: Record<string, unknown>,
): FilePlan[] {
  const result = [...plans]
  for (const copy of copies) {
    if (!isThereAfter(copy, plans) || copy.files[EVENTS].linkTarget !== undefined) continue
    const at = result.findIndex(plan => plan.copy === copy && plan.file === EVENTS)
    const planned = result[at]
    const events = planned?.bytes ?? (isHealthy(copy.files[EVENTS]) ? bytesOf(copy, EVENTS) : undefined)
    const bytes = events === undefined ? undefined : insertDelta(events, id, delta)
    if (bytes === undefined) continue
    const text = `added the overrides to ${EVENTS}, where JP reads them`
    if (planned === undefined)
      result.push({
        copy,
        file: EVENTS,
        bytes,
        modifiedNs: undefined,
        bucket: 'repaired',
        text,
        source: 'the flags that were entered',
      })
    else result[at] = { ...planned, bytes, text: `${planned.text}, and ${text}` }
  }
  return result
}

/** Whether the copy has a base_config.json after the plans. */
function isThereAfter(copy: CopyState, plans: readonly FilePlan[]): boolean {
  const planned = plans.find(plan => plan.copy === copy && plan.file === BASE_CONFIG)
  return planned === undefined ? isHealthy(copy.files[BASE_CONFIG]) : planned.bytes !== undefined
}

/** The model that the events name last. Only read if a base config must be rebuilt. */
function modelIn(copies: readonly CopyState[], events: readonly FilePlan[]): string | undefined {
  if (copies.every(({ files }) => isHealthy(files[BASE_CONFIG]))) return undefined
  for (const copy of copies) {
    const bytes = events.find(plan => plan.copy === copy)?.bytes ?? bytesOf(copy, EVENTS)
    const model = bytes === undefined ? undefined : lastModel(valuesIn(bytes))
    if (model !== undefined) return model
  }
  return undefined
}

/** The changes of the config in the copy that has the most. */
function deltasIn(copies: readonly CopyState[], eventsOf: (copy: CopyState) => EventsFacts | undefined): unknown[] {
  const all = copies.map(copy => eventsOf(copy)?.deltas ?? [])
  return all.reduce((best, deltas) => (deltas.length > best.length ? deltas : best), [])
}

function* valuesIn(bytes: Buffer): Generator<unknown, void, void> {
  for (const item of readArray([bytes])) if (item.type === 'element') yield item.value
}

const INDENT = '  '

/**
 * Puts the overrides in front of the events, which is where JP reads them. Every other byte stays unchanged.
 * An event that an earlier repair put there is replaced. Returns undefined if the bytes are not events or
 * there is nothing to add.
 */
function insertDelta(events: Buffer, id: string, delta: Record<string, unknown>): Buffer | undefined {
  const open = skipSpaces(events, 0)
  if (events[open] !== OPEN_BRACKET) return undefined
  const timestamp = formatTime(timeOfId(id))
  const event = JSON.stringify({ type: 'config_delta', timestamp, delta }, null, 2).replaceAll('\n', `\n${INDENT}`)
  const first = readArray([events]).next()
  const there = first.done || first.value.type !== 'element' ? undefined : first.value
  const { type, timestamp: time } = asObject(there?.value) ?? {}
  if (there !== undefined && type === 'config_delta' && time === timestamp)
    return applyEdits(events, [{ start: there.start, end: there.end, bytes: Buffer.from(event) }])
  if (Object.keys(delta).length === 0) return undefined
  if (there === undefined)
    return applyEdits(events, [{ start: open + 1, end: open + 1, bytes: Buffer.from(`\n${INDENT}${event}\n`) }])
  return applyEdits(events, [{ start: open + 1, end: open + 1, bytes: Buffer.from(`\n${INDENT}${event},`) }])
}
