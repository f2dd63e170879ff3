// What a printed row depends on beside the file of its session: files that its verdict was made from, and the folder
// that a resume needs. Few differ, so each is looked at once for all rows.
import type { Context } from '../../catalog/context.ts'
import { folderState, isFree, type NeededFolder } from '../../catalog/folder-state.ts'
import type { SessionRef } from '../../model/session.ts'
import { hasAllMarks, markOf, type Origin } from '../../repair/verdicts/origin.ts'

type Condition = [files: [path: string, mark: string][], folder?: [agent: string, store: string, NeededFolder]]

/** Undefined for a row that must be made again each time. */
export function conditionOf(
  session: SessionRef,
  origin: Origin | undefined,
  folder: NeededFolder | undefined,
): string | undefined {
  if (origin !== undefined && ('identity' in origin || !hasAllMarks(origin))) return undefined
  if (session.isFromMemory === true || folder?.state === 'unknown') return undefined
  const others = origin?.files.filter(({ path }) => path !== session.filePath) ?? []
  const condition: Condition = [others.map(({ path, mark }) => [path, mark])]
  if (folder !== undefined) condition.push([session.agent, session.generation, folder])
  return JSON.stringify(condition)
}

/** Whether all of it is as it was. */
export function makeIsMet(context: Pick<Context, 'agents' | 'environment'>): (condition: string) => boolean {
  const marks = new Map<string, string>()
  const states = new Map<string, NeededFolder['state']>()
  const free = new Map<string, boolean>()
  const isSameFolder = (agent: string, generation: string, folder: NeededFolder): boolean => {
    const state = remembered(states, folder.path, () => folderState(folder.path))
    const found = context.agents.find(({ id }) => id === agent)
    if (found === undefined || state !== folder.state) return false
    return folder.isFree === remembered(free, `${agent} ${generation}`, () => isFree(found, { generation }, context))
  }
  return text => {
    // Sealed with the rows.
    const [files, folder] = JSON.parse(text) as Condition
    if (!files.every(([path, mark]) => remembered(marks, path, () => markOf(path)) === mark)) return false
    return folder === undefined || isSameFolder(...folder)
  }
}

function remembered<Value>(known: Map<string, Value>, key: string, find: () => Value): Value {
  const value = known.get(key) ?? find()
  known.set(key, value)
  return value
}
