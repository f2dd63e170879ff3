// What a client wanted remembered, as far as it is of use here. Of a damaged row nothing is.
import { parseJson } from '../../bytes/json.ts'
import { fields } from '../envelope.ts'

export interface KnownMetadata {
  title?: string
  /** The conversation that it was forked from. */
  parent?: string
}

export function readMetadataText(text: string | undefined): KnownMetadata | undefined {
  if (text === undefined) return undefined
  const { title, parent } = fields(parseJson(Buffer.from(text)))
  return {
    ...(typeof title === 'string' && title.trim() !== '' ? { title } : {}),
    ...(typeof parent === 'string' && parent !== '' ? { parent } : {}),
  }
}
