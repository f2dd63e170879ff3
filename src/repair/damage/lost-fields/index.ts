// A document lacks fields that its agent requires. The repair restores them from their remains, the file name
// and the messages.
import type { DocumentRepair } from '../../../agents/repair.ts'
import { fieldsOf } from '../shared/break-documents.ts'
import { makeDocumentDamage, planOf } from '../shared/documents.ts'

export const lostFields = makeDocumentDamage({
  id: 'lost-fields',
  title: 'lost fields that the agent needs',
  why: 'Fields that the agent needs beside the messages are lost, so the agent cannot read the document. A repair rebuilds them from what is known.',
  kind: 'fields',
  appliesTo: (_, repair) => repair.restoreFields !== undefined,
  describe(_, subject) {
    const names = planOf(subject).restored.join(', ')
    return {
      text: `The document has lost ${names}, and its agent does not load it without them.`,
      reason: `Restore ${names} from the messages, the file name and what is left`,
    }
  },
  inflict(target, random) {
    const { repair, session } = target
    if (repair.framing !== 'json-document') return undefined
    const bytes = Buffer.from(target.read(session.filePath))
    const fields = fieldsOf(bytes, target)
    const needed = fields.filter(({ name }) =>
      isNeeded(
        repair,
        fields.map(field => field.name),
        name,
      ),
    )
    const field = needed[random.below(Math.max(1, needed.length))]
    if (field === undefined) return undefined
    // The comma after the field is blanked as well.
    bytes.fill(' ', field.start, bytes.indexOf(',', field.end) + 1)
    target.write(session.filePath, bytes)
    return { what: `the field ${field.name} blanked`, destroyed: 0 }
  },
})

function isNeeded(repair: DocumentRepair, names: readonly string[], name: string): boolean {
  return repair.refuses?.(new Set([...names.filter(other => other !== name), ...repair.lists])) !== undefined
}
