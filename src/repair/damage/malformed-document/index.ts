// A document is broken in the middle. The repair removes the unreadable part and keeps every complete message
// before and after it. Where nothing would be left, it refuses.

import type { DocumentSubject } from '../damage.ts'
import { replaceBytes } from '../lines/break-lines.ts'
import { breakMessage, listEnd } from '../shared/break-documents.ts'
import type { DocumentPlace } from '../shared/documents.ts'
import { makeDocumentDamage, nameBytes, planOf, whyBeyondRepair } from '../shared/documents.ts'

export const malformedDocument = makeDocumentDamage({
  id: 'malformed-document',
  title: 'document broken in the middle',
  why: 'The document is broken in the middle, and the missing content cannot be known. The agent cannot read any of it. A repair keeps every complete message before and after the broken place, and the vault keeps the rest.',
  kind: 'broken',
  describe(fault, subject) {
    const bytes = nameBytes(fault, subject)
    return {
      text: `The document is broken, so the agent cannot read it. Unreadable: ${bytes}.`,
      reason: `Remove and keep in the vault: ${bytes}`,
    }
  },
  findMore: findBeyondRepair,
  inflict(target, random) {
    const file = target.session.filePath
    const bytes = target.read(file)
    const broken = random.below(2) === 0 ? breakMessage(bytes, target, random) : undefined
    if (broken !== undefined) {
      target.write(file, broken.bytes)
      return { what: broken.what, destroyed: broken.destroyed }
    }
    const end = listEnd(bytes, target)
    if (end === undefined) return undefined
    const stray = '!}:~'.charAt(random.below(4))
    target.write(file, replaceBytes(bytes, end, end, stray))
    return { what: `a stray ${stray} behind the last message`, destroyed: 0 }
  },
})

function findBeyondRepair(subject: DocumentSubject): DocumentPlace[] {
  const refused = whyBeyondRepair(subject)
  const { outline } = planOf(subject)
  const { fault, size, isJson } = outline
  if (refused === undefined || (fault === undefined && !isJson)) return []
  const rest = { severity: 'lost', repair: { refused } } as const
  if (fault === undefined)
    return [
      { start: 0, end: size, text: `The document is valid JSON, but the agent cannot use it: ${refused}.`, ...rest },
    ]
  const text = `The document is not valid JSON from byte ${fault.at} on (${fault.text}), and ${refused}.`
  return [{ start: fault.at, end: Math.min(size, fault.at + 1), text, ...rest }]
}
