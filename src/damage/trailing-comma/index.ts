// A comma with nothing behind it but a closing bracket, as an editor or a stopped writer leaves it: no parser of JSON takes it.
import { blankEdit } from '../../bytes/close-object.ts'
import { listEnd } from '../break-documents.ts'
import { replaceBytes } from '../break-lines.ts'
import { makeDocumentDamage } from '../documents.ts'

export const trailingComma = makeDocumentDamage({
  id: 'trailing-comma',
  title: 'comma that nothing follows',
  find: ({ commas }) =>
    commas.map(at => ({
      start: at,
      end: at + 1,
      severity: 'survived',
      text: 'A comma stands before a closing bracket: the agent cannot read the document.',
      cure: { edit: blankEdit({ start: at, end: at + 1 }), reason: 'the comma is replaced with a space' },
    })),
  inflict(target) {
    const file = target.session.filePath
    const bytes = target.read(file)
    const end = listEnd(bytes, target)
    if (end === undefined) return undefined
    target.write(file, replaceBytes(bytes, end, end, ','))
    return { what: 'a comma behind the last message', destroyed: 0 }
  },
})
