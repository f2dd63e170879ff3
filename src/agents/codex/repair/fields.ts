// The fields of a record that `describe` reads, in both forms of a line.
import type { Field } from '../../../bytes/scanner/fields.ts'

const typeOnly: Field = {}
const word: Field = { leaf: 'word' }
const id: Field = { leaf: 'id' }
/** What a person or the model wrote decides what the record is. */
const whole: Field = { leaf: 'whole' }
const texts: Field = { elements: { leaf: 'text', fields: { type: word, text: { leaf: 'text' } } } }

/** A bare item, which is not checked for fields that the agent would refuse. */
const ITEM: Readonly<Record<string, Field>> = {
  type: word,
  id,
  role: word,
  call_id: id,
  content: whole,
  summary: texts,
  cli_version: whole,
}

const payload: Field = {
  fields: {
    ...ITEM,
    originator: whole,
    status: typeOnly,
    name: typeOnly,
    arguments: typeOnly,
    namespace: typeOnly,
    input: typeOnly,
    output: typeOnly,
    action: typeOnly,
    result: typeOnly,
    author: typeOnly,
    recipient: typeOnly,
    encrypted_content: typeOnly,
    internal_chat_message_metadata_passthrough: { fields: { turn_id: typeOnly, create_time: typeOnly } },
    replacement_history: typeOnly,
    num_turns: word,
    message: whole,
    text: { leaf: 'text' },
    images: whole,
    local_images: whole,
    /** Of other completed items, only what kind they are matters. */
    item: { fields: { type: word, content: whole, text: whole, summary_text: whole, raw_content: whole } },
  },
}

const metadata: Field = {
  fields: {
    client_authored: typeOnly,
    user_input_order: typeOnly,
    fallback_token_limit_override: typeOnly,
    retained_source: {
      fields: {
        id: { fields: { message_id: typeOnly, turn_id: typeOnly, role: typeOnly } },
        revision: typeOnly,
        complete: typeOnly,
      },
    },
  },
}

export const fields: Field = {
  fields: {
    ...ITEM,
    timestamp: { leaf: 'time' },
    ordinal: { leaf: 'count' },
    metadata,
    record_type: typeOnly,
    payload,
  },
}
