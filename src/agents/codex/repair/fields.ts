// The fields of a record that `describe` reads, in both forms of a line.
import type { Field } from '../../../bytes/scanner/fields.ts'

/** Only the type of the value counts. */
const any: Field = {}
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
    status: any,
    name: any,
    arguments: any,
    namespace: any,
    input: any,
    output: any,
    action: any,
    result: any,
    author: any,
    recipient: any,
    encrypted_content: any,
    internal_chat_message_metadata_passthrough: { fields: { turn_id: any, create_time: any } },
    replacement_history: any,
    num_turns: word,
    message: whole,
    text: { leaf: 'text' },
    images: whole,
    local_images: whole,
    item: whole,
  },
}

const metadata: Field = {
  fields: {
    client_authored: any,
    user_input_order: any,
    fallback_token_limit_override: any,
    retained_source: {
      fields: { id: { fields: { message_id: any, turn_id: any, role: any } }, revision: any, complete: any },
    },
  },
}

export const fields: Field = {
  fields: { ...ITEM, timestamp: { leaf: 'time' }, ordinal: { leaf: 'count' }, metadata, record_type: any, payload },
}
