// JSON: one document with the messages as rethread reads them, one line for each.
import { toJson } from '../../bytes/json.ts'
import { withoutImages } from '../../model/image.ts'
import type { ExportFormat } from '../format.ts'
import { NOT_PERFECT } from '../redact.ts'

export const json: ExportFormat = {
  extension: 'json',
  mime: 'application/json',
  head: head => `${toJson(head).slice(0, -1)},"messages":[\n`,
  message(message, number, { isRedacted }) {
    const { at, ...shown } = withoutImages(message)
    return `${number === 1 ? '' : ',\n'}${toJson({ number, ...shown, ...(isRedacted ? {} : { at }) })}`
  },
  end(end) {
    const rest = {
      facts: end.facts(),
      isComplete: end.isComplete,
      ...(end.missing.length === 0 ? {} : { missing: end.missing }),
      ...(end.redacted === undefined ? {} : { redacted: end.redacted, note: NOT_PERFECT }),
    }
    return `\n],${toJson(rest).slice(1)}\n`
  },
}
