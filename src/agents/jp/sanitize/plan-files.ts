// Plans new metadata.json, base_config.json and init_config.json files for each copy of a conversation.
import { basename } from 'node:path'
import { parseJson } from '../../../bytes/json.ts'
import { planOutdated } from '../../../disk/vault/errors.ts'
import { asObject } from '../../stores/values.ts'
import type { EventsFacts } from '../classify/classify-file.ts'
import { readUnchanged } from '../classify/classify-file.ts'
import { type CopyState, withWritten } from '../classify/index.ts'
import type { Condition, FileState } from '../classify/state.ts'
import { isHealthy } from '../classify/state.ts'
import { displayId, timeOfId } from '../ids.ts'
import { BASE_CONFIG, INIT_CONFIG, MANAGED, type ManagedFile, METADATA } from '../names.ts'
import { parseExact } from '../schema/exact.ts'
import { checkWithDeltas } from '../schema/resolve.ts'
import { formatTime, parseTime } from '../times.ts'
import type { FilePlan } from './apply-files.ts'
import { type ConfigSource, configSources, flatConfig, formatJson, type SourceOptions } from './config-sources.ts'
import { hasDamagedInit } from './diagnosis.ts'
import { makeMetadata, readableTitle } from './new-metadata.ts'
import { bestConfig, refillConfig } from './refill-config.ts'

/** The id and the slug in the name of a folder. */
interface Named {
  id: string
  slug: string | undefined
}

export function namedOf({ folder }: CopyState): Named | undefined {
  return folder.parsed.type === 'unparseable' ? undefined : folder.parsed
}

export function planMetadata(copies: readonly CopyState[]): FilePlan[] {
  const sound = soundCopy(copies, METADATA)
  return copies.flatMap((copy): FilePlan[] => {
    const state = copy.files[METADATA]
    const named = namedOf(copy)
    if (isHealthy(state) || named === undefined) return []
    if (sound !== undefined) return [copied(copy, METADATA, sound)]
    const damaged = bytesOf(copy, METADATA)
    const others = copies.filter(other => other !== copy).map(other => bytesOf(other, METADATA))
    const otherTitle = others.map(bytes => (bytes === undefined ? undefined : readableTitle(bytes))).find(Boolean)
    const { bytes, kept } = makeMetadata(damaged, { ...named, otherTitle })
    const isMissing = state.condition.type === 'missing'
    const source = kept.length === 0 ? 'defaults' : `what could still be read (${kept.join(', ')})`
    const modifiedNs = kept.length === 0 ? earliestNs(named.id, copies) : state.mark?.mtimeNs
    const text = `recreated ${isMissing ? 'missing' : 'corrupt'} ${METADATA}${kept.length === 0 ? '' : ` from ${source}`}`
    return [{ copy, file: METADATA, bytes, modifiedNs, bucket: 'repaired', text, source, ...aboutExpiry(bytes, state) }]
  })
}

/**
 * An expiry that the user set is restored. The damage may have been all that kept JP from deleting the
 * conversation.
 */
function aboutExpiry(bytes: Buffer, { path }: FileState): Pick<FilePlan, 'remark'> {
  const expires = asObject(parseJson(bytes))?.['expires_at']
  const time = parseTime(expires)
  if (time === undefined || time > Date.now()) return {}
  return {
    remark: `It was to expire at ${expires}, and JP deletes it when its next command ends. To keep it, take expires_at out of ${path}`,
  }
}

/** `eventsOf` returns the facts about the events of a copy after their repair. */
export function planBaseConfig(
  copies: readonly CopyState[],
  eventsOf: (copy: CopyState) => EventsFacts | undefined,
  options: SourceOptions,
): FilePlan[] {
  return copies.flatMap((copy): FilePlan[] => {
    const state = copy.files[BASE_CONFIG]
    if (isHealthy(state)) return []
    const events = eventsOf(copy)
    const isKept = events?.first === 'config-delta' && events.firstFault === undefined
    if (state.condition.type === 'missing' && (isKept || events?.first === 'inline-config')) return []
    // A config does not help the oldest layouts, nor a conversation without events.
    if (state.condition.type === 'missing' && events === undefined) return []
    const plan = { copy, file: BASE_CONFIG, bucket: 'repaired' } as const
    if (isKept)
      return [
        {
          ...plan,
          bytes: undefined,
          modifiedNs: undefined,
          text: `set corrupt ${BASE_CONFIG} aside: the first event holds the config`,
        },
      ]
    return [{ ...plan, ...rebuilt(copy, copies, options) }]
  })
}

function rebuilt(
  copy: CopyState,
  copies: readonly CopyState[],
  options: SourceOptions,
): Pick<FilePlan, 'bytes' | 'modifiedNs' | 'text' | 'source' | 'remark' | 'losesFlags'> {
  const state = copy.files[BASE_CONFIG]
  const finished = written(copy, options)
  if (finished !== undefined) return finished
  const others = copies.filter(other => other !== copy)
  const sources = (): Generator<ConfigSource, void, void> => configSources(copy, others, options)
  const stored = isObjectOfWrongShape(state.condition) ? bytesOf(copy, BASE_CONFIG) : undefined
  const flat = stored === undefined ? undefined : flatConfig(stored)
  const damaged = flat?.bytes ?? stored
  const refilled = damaged === undefined ? undefined : refillConfig(damaged, sources(), options.deltas)
  if (refilled !== undefined) {
    const source = [...new Set(refilled.filled.map(one => one.source))].join(', ')
    const fields = refilled.filled.map(({ field }) => field).join(', ')
    const merged = flat === undefined ? [] : [`put base and init of ${BASE_CONFIG} together, as JP reads no such parts`]
    const text = [...merged, ...(fields === '' ? [] : [`rebuilt ${fields} in ${BASE_CONFIG} from ${source}`])].join(
      ', ',
    )
    const remark = flat?.isShort ? lostFlags(options.id) : {}
    return { bytes: refilled.bytes, modifiedNs: state.mark?.mtimeNs, text, source, ...remark }
  }
  const best = bestConfig(sources(), options.deltas)
  const modifiedNs = best.modifiedNs ?? earliestNs(options.id, copies)
  const remark = best.isOwn || isHealthy(copy.files[INIT_CONFIG]) ? {} : lostFlags(options.id)
  return {
    bytes: best.bytes,
    modifiedNs,
    text: `rebuilt ${BASE_CONFIG} from ${best.name}`,
    source: best.name,
    ...remark,
  }
}

/** The config that JP had written and not yet renamed, if it loads with the changes in the events. */
function written(
  copy: CopyState,
  { deltas }: SourceOptions,
): Pick<FilePlan, 'bytes' | 'modifiedNs' | 'text' | 'source'> | undefined {
  const state = copy.written[BASE_CONFIG]
  const bytes = state && readUnchanged(state, copy.folder.root.within)
  if (bytes === undefined || checkWithDeltas(parseExact(bytes), deltas).length > 0) return undefined
  const source = sourceOf(copy.folder, state)
  return { bytes, modifiedNs: state?.mark?.mtimeNs, text: `rebuilt ${BASE_CONFIG} from ${source}`, source }
}

/** JP stores these flags only in the file that is lost. */
function lostFlags(id: string): Pick<FilePlan, 'remark' | 'losesFlags'> {
  const remark = `The rebuilt ${BASE_CONFIG} has nothing of the flags that the conversation was started with. If there were any, set them again (-m X is -c assistant.model.id=X): jp config set -i ${displayId(id)} -c NAME`
  return { remark, losesFlags: true }
}

function isObjectOfWrongShape(condition: Condition): boolean {
  return condition.type === 'wrong-shape' && condition.faults.every(({ path }) => path !== '')
}

/** `delta` holds the settings of the flags that the user entered; undefined if none were entered. */
export function planInitConfig(
  copies: readonly CopyState[],
  id: string,
  delta: Record<string, unknown> | undefined,
): FilePlan[] {
  const sound = soundCopy(copies, INIT_CONFIG)
  return copies.filter(hasDamagedInit).map((copy): FilePlan => {
    if (sound !== undefined) return copied(copy, INIT_CONFIG, sound)
    const plan = { copy, file: INIT_CONFIG, modifiedNs: copy.files[INIT_CONFIG].mark?.mtimeNs } as const
    if (delta === undefined)
      return { ...plan, bytes: undefined, bucket: 'degraded', text: `loaded without ${INIT_CONFIG} overrides` }
    const bytes = formatJson({ timestamp: formatTime(timeOfId(id)), delta })
    const source = 'the flags that were entered'
    return { ...plan, bytes, bucket: 'repaired', text: `rebuilt ${INIT_CONFIG} from ${source}`, source }
  })
}

/** Copies the bytes and the modification time, so that neither copy is newer. */
export function copied(copy: CopyState, file: ManagedFile, from: CopyState): FilePlan {
  const source = sourceOf(from.folder, from.files[file])
  const bytes = bytesOf(from, file)
  if (bytes === undefined) throw planOutdated(from.files[file].path, 'it was replaced while it was read')
  const verb = copy.files[file].condition.type === 'missing' ? 'missing' : 'corrupt'
  const text = `recreated ${verb} ${file} from ${source}`
  return { copy, file, bytes, modifiedNs: from.files[file].mark?.mtimeNs, bucket: 'repaired', text, source }
}

function sourceOf({ root }: CopyState['folder'], state: FileState | undefined): string {
  const name = basename(state?.path ?? '')
  return name === state?.file ? `the ${root.kind} copy` : `${name}, which JP had written and not yet renamed`
}

/** The newest copy in which this file is healthy. */
export function soundCopy(copies: readonly CopyState[], file: ManagedFile): CopyState | undefined {
  const time = ({ files }: CopyState): bigint => files[file].mark?.mtimeNs ?? 0n
  return withWritten(copies)
    .filter(({ files }) => isHealthy(files[file]))
    .toSorted((a, b) => (time(a) < time(b) ? 1 : -1))[0]
}

/** Undefined if the file does not exist or cannot be read. */
export function bytesOf(copy: CopyState, file: ManagedFile): Buffer | undefined {
  const state: FileState = copy.files[file]
  return state.mark === undefined ? undefined : readUnchanged(state, copy.folder.root.within)
}

/**
 * The modification time of a default: before that of any real file of the conversation, even if a clock was
 * wrong.
 */
function earliestNs(id: string, copies: readonly CopyState[]): bigint {
  const real = copies.flatMap(({ files }) => MANAGED.flatMap(file => files[file].mark?.mtimeNs ?? []))
  return [BigInt(timeOfId(id)) * 1_000_000n, ...real].reduce((a, b) => (a < b ? a : b))
}

/** The base config that the flags are applied to. */
export function baseOf(copies: readonly CopyState[], plans: readonly FilePlan[]): unknown {
  const planned = plans.find(({ file, bytes }) => file === BASE_CONFIG && bytes !== undefined)?.bytes
  const sound = soundCopy(copies, BASE_CONFIG)
  const bytes = planned ?? (sound === undefined ? undefined : bytesOf(sound, BASE_CONFIG))
  return bytes === undefined ? undefined : asObject(parseJson(bytes))
}
