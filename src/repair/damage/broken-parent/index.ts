// A record names a parent that is nowhere in the file. A resume loses everything before it.
import type { LogSubject } from '../damage.ts'
import { findBreaks } from '../shared/link-breaks.ts'
import { namedParent } from '../shared/link-edits.ts'
import type { LinkWords, Relink } from '../shared/relink.ts'
import { makeLinkDamage } from '../shared/relink.ts'
import { inflict } from './inflict.ts'

/** Searching other files takes time, so beyond this many records there is no search. */
const MAX_SEARCHED = 1000

export const brokenParent = makeLinkDamage({
  id: 'broken-parent',
  title: 'a link to a missing record',
  why: 'The message before this one was not saved, or was saved under another id, so the chain of messages breaks here. On resume the agent loads only what comes after it. A repair reconnects this message to the one before it.',
  find: subject => findBreaks(subject).filter(({ kind }) => kind === 'missing'),
  texts: describeMissing,
  inflict,
})

function describeMissing(subject: LogSubject, found: readonly Relink[]): LinkWords[] {
  const ids = found.map(({ record }) => namedParent(subject, record) ?? '')
  const inOtherFiles = findInOtherFiles(subject, ids.slice(0, MAX_SEARCHED))
  return ids.map(id => {
    const text = 'The link to the previous message is broken.'
    if (id === '') return { text }
    const file = inOtherFiles.get(id)
    const place = file === undefined ? 'it is not in this file' : `it is in ${file}`
    return { text, detail: `The previous message has the id ${id}; ${place}.` }
  })
}

/** Caches results, because a check scans the same session more than once. */
const known = new WeakMap<object, Map<string, string | undefined>>()

function findInOtherFiles({ session, repair }: LogSubject, ids: readonly string[]): Map<string, string | undefined> {
  const found = known.get(session) ?? new Map<string, string | undefined>()
  known.set(session, found)
  const fresh = [...new Set(ids)].filter(id => id !== '' && !found.has(id))
  const files = fresh.length === 0 ? undefined : repair.findInOtherSessions?.(session, fresh)
  for (const id of fresh) found.set(id, files?.get(id))
  return found
}
