// A record names a parent that is nowhere in the file. A resume loses everything before it.
import type { Inflict, LogSubject } from '../damage.ts'
import { replaceBytes } from '../lines/break-lines.ts'
import { linkedLinesOf, logRepairOf, pickOne, unusedIdLike } from '../shared/break-links.ts'
import { findBrokenLinks } from '../shared/find-broken-links.ts'
import { type LinkWords, makeLinkDamage, namedParent, type Relink } from '../shared/relink.ts'

const MAX_PLACES = 5

/** Gives one to five records a parent that never existed. */
const inflict: Inflict = (target, random) => {
  const repair = logRepairOf(target)
  if (repair === undefined) return undefined
  const file = target.session.filePath
  let bytes = target.read(file)
  const linked = linkedLinesOf(bytes, repair).filter(({ facts }) => typeof facts.parent === 'string')
  if (linked.length === 0) return undefined
  const places = new Set<number>()
  for (let left = 1 + random.below(MAX_PLACES); left > 0; left--) {
    const line = pickOne(linked, random)
    if (line === undefined || places.has(line.start)) continue
    places.add(line.start)
    // As long as the old id, so that the offsets of the other records stay valid.
    const unusedId = unusedIdLike(String(line.facts.parent), random)
    bytes = replaceBytes(bytes, line.link.start, line.link.end, JSON.stringify(unusedId))
  }
  target.write(file, bytes)
  return { what: `the parents of the records at ${[...places].join(', ')} replaced by ids of nobody`, destroyed: 0 }
}

/** Searching other files takes time, so beyond this many records there is no search. */
const MAX_SEARCHED = 1000

export const brokenParent = makeLinkDamage({
  id: 'broken-parent',
  title: 'a link to a missing record',
  why: 'The message before this one was not saved, or was saved under another id, so the chain of messages breaks here. On resume the agent loads only what comes after it. A repair reconnects this message to the one before it.',
  find: subject => findBrokenLinks(subject).filter(({ kind }) => kind === 'missing'),
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
