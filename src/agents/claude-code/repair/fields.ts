// The fields of a record that `describe` reads.
import type { Field, Leaf } from '../../../bytes/scanner/fields.ts'

/** Inside `content`, only blocks that can be faulty are kept, at any depth. */
const below: Field = {
  isPruned: true,
  get fields() {
    return BLOCK
  },
  get others() {
    return below
  },
  get elements() {
    return below
  },
}

/** A value with such blocks inside, if it is not a text. */
function content(leaf: Leaf, fields: Readonly<Record<string, Field>> = {}, elements = below): Field {
  return {
    leaf,
    get fields() {
      return { ...BLOCK, ...fields }
    },
    others: below,
    elements,
  }
}

const blockText = content('text')
const BLOCK: Readonly<Record<string, Field>> = { type: content('word'), text: blockText, signature: blockText }

const id: Field = { leaf: 'id' }
const word: Field = { leaf: 'word' }
const toolId = content('id')
const block = content('text', { id: toolId, tool_use_id: toolId })

export const fields: Field = {
  fields: {
    type: word,
    subtype: word,
    uuid: id,
    parentUuid: id,
    leafUuid: id,
    explicit: word,
    isSidechain: word,
    isMeta: word,
    isCompactSummary: word,
    version: word,
    timestamp: { leaf: 'time' },
    message: { fields: { id, content: content('text', {}, block) } },
    attachment: content('text'),
  },
}
