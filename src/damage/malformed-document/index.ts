// A document that is broken in the middle, or that lacks what the agent insists on. It is told and never changed: what was meant cannot be known.
import { listEnd } from '../break-documents.ts'
import { replaceBytes } from '../break-lines.ts'
import type { Place } from '../documents.ts'
import { makeDocumentDamage, whyHopeless } from '../documents.ts'

export const malformedDocument = makeDocumentDamage({
  id: 'malformed-document',
  title: 'document broken in the middle',
  find({ fault, isClosed, size }, subject): Place[] {
    const refused = whyHopeless(subject)
    if (refused === undefined) return []
    const rest = { severity: 'lost', cure: { refused } } as const
    if (fault !== undefined)
      return [
        {
          start: fault.at,
          end: fault.at + 1,
          text: `The document is no JSON from byte ${fault.at} on: ${fault.text}.`,
          ...rest,
        },
      ]
    if (!isClosed) return []
    return [
      { start: 0, end: size, text: `The document is valid JSON, but the agent cannot use it: ${refused}.`, ...rest },
    ]
  },
  inflict(target, random) {
    const file = target.session.filePath
    const bytes = target.read(file)
    const end = listEnd(bytes, target)
    if (end === undefined) return undefined
    const stray = '!}:~'.charAt(random.below(4))
    target.write(file, replaceBytes(bytes, end, end, stray))
    return { what: `a stray ${stray} behind the last message`, destroyed: 0, isBeyondRepair: true }
  },
})
