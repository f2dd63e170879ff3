// meta.json beside a chat database: the title and the folder in plain text. The session is readable without
// it.
import { join } from 'node:path'
import { parseJson } from '../../../bytes/json.ts'
import { readOptionalFile } from '../../../disk/files/read.ts'
import { RethreadError } from '../../../model/errors.ts'
import { asObject, asText, asTime, present } from '../../stores/values.ts'

export interface Sidecar {
  path: string
  fields: SidecarFields
  /** Why it could not be read. */
  problem: string | undefined
}

export interface SidecarFields {
  title?: string
  project?: string
  startedAt?: string
  updatedAt?: string
  /** False for a chat without any message. */
  hasConversation?: boolean
}

const MAX_BYTES = 1024 * 1024

export function readSidecar(folder: string, storeRoot: string): Sidecar {
  const path = join(folder, 'meta.json')
  try {
    const bytes = readOptionalFile(path, storeRoot, MAX_BYTES)
    if (bytes === undefined) return { path, fields: {}, problem: 'meta.json is missing.' }
    const value = asObject(parseJson(bytes))
    if (value === undefined) return { path, fields: {}, problem: 'meta.json is not a JSON document.' }
    const fields = present<SidecarFields>({
      title: asText(value['title']),
      project: asText(value['cwd']),
      startedAt: asTime(value['createdAtMs']),
      updatedAt: asTime(value['updatedAtMs']),
      hasConversation: typeof value['hasConversation'] === 'boolean' ? value['hasConversation'] : undefined,
    })
    return { path, fields, problem: undefined }
  } catch (error) {
    if (error instanceof RethreadError) return { path, fields: {}, problem: error.message }
    throw error
  }
}

/** Excludes the agent's placeholder title. */
export function realTitle(title: string | undefined): string | undefined {
  return title === undefined || /^(?:new agent|new chat|untitled)$/i.test(title.trim()) ? undefined : title
}
