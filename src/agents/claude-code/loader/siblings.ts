// One message of the model is several lines, and the path along the links passes through one of them. Newer
// versions also load the other lines and the results of their calls.
import type { RecordIndex } from '../../../repair/records/record-index.ts'
import { KIND, kindFlag } from '../../../repair/records/record-index.ts'

export function gatherSiblings(chain: Int32Array, index: RecordIndex): Int32Array {
  const isLoaded = new Uint8Array(index.length)
  for (const record of chain) isLoaded[record] = 1
  if (!hasMore(index, isLoaded)) return chain
  const groups = new Uint8Array(index.keyLimit)
  for (const record of chain) groups[index.group(record) ?? index.keyLimit] = 1
  const lines = linesBeside(index, groups, isLoaded)
  const results = resultsBeside(index, groups, isLoaded)
  if (lines.size === 0 && results.size === 0) return chain
  const gathered: number[] = []
  for (const record of chain)
    for (const line of takeLines(record, index, lines)) gathered.push(line, ...(results.get(line) ?? []))
  return Int32Array.from(gathered)
}

/** In most sessions the path already includes everything. */
function hasMore({ flags }: RecordIndex, isLoaded: Uint8Array): boolean {
  for (let record = 0; record < flags.length; record++)
    if (isLoaded[record] === 0 && ((flags[record] ?? 0) & KIND) === TALK) return true
  return false
}

const TALK = kindFlag('talk')

/** `groups`: 1 for those with a line on the path. The result is by group, in the order of the file. */
function linesBeside(index: RecordIndex, groups: Uint8Array, isLoaded: Uint8Array): Map<number, number[]> {
  const lines = new Map<number, number[]>()
  for (let record = 0; record < index.length; record++) {
    const group = index.group(record)
    if (group === undefined || isLoaded[record] === 1 || groups[group] !== 1 || index.isSuperseded(record)) continue
    const known = lines.get(group)
    if (known === undefined) lines.set(group, [record])
    else known.push(record)
  }
  return lines
}

/** By the line of the message that they are linked to. */
function resultsBeside(index: RecordIndex, groups: Uint8Array, isLoaded: Uint8Array): Map<number, number[]> {
  const results = new Map<number, number[]>()
  const noted = new Set<number>()
  index.eachTool((record, isResult) => {
    if (!isResult || isLoaded[record] === 1 || index.isSuperseded(record) || noted.has(record)) return
    const parent = index.parent(record)
    const group = parent < 0 ? undefined : index.group(parent)
    if (group === undefined || groups[group] !== 1) return
    noted.add(record)
    const known = results.get(parent)
    if (known === undefined) results.set(parent, [record])
    else known.push(record)
  })
  return results
}

/**
 * The lines beside this one, added at the first line of their message on the path, in the order of the file.
 */
function takeLines(record: number, index: RecordIndex, lines: Map<number, number[]>): number[] {
  const group = index.group(record)
  const beside = group === undefined ? undefined : lines.get(group)
  if (group === undefined || beside === undefined) return [record]
  lines.delete(group)
  return [...beside.filter(line => line < record), record, ...beside.filter(line => line > record)]
}
