// Reads receipts and markers. Apart from the vault: to prove their form takes a library that a repair does not need, and
// that takes some fifty milliseconds to load.
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { RethreadError } from '../../model/errors.ts'
import { listFolder, readOptionalFile } from '../files/read.ts'
import { quote } from '../files/system-errors.ts'
import { receiptSchema } from './receipt.ts'
import { UNFINISHED_FOLDER } from './unfinished.ts'
import { RECEIPT, type Vault } from './vault.ts'

/** Rows of a database are stored in the receipt as a whole, and one can be large. */
const MAX_RECEIPT_BYTES = 256 * 1024 * 1024

const markerSchema = z.object({
  folder: z.string(),
  agent: z.string(),
  sessionId: z.string(),
  filePath: z.string(),
  databases: z.array(z.string()),
})
export type Unfinished = z.infer<typeof markerSchema> & { id: string }

/** Repairs that were started and have not ended: their process is running, or has died. */
export function listUnfinished(state: string): Unfinished[] {
  return listFolder(join(state, UNFINISHED_FOLDER))
    .filter(entry => entry.name.endsWith('.json'))
    .flatMap(entry => {
      const bytes = readOptionalFile(entry.path, state)
      if (bytes === undefined) return []
      const marker = parseOwn(entry.path, bytes, markerSchema)
      return [{ ...marker, id: basename(entry.name, '.json'), folder: join(state, marker.folder) }]
    })
}

/** Undefined where the receipt was never written. */
export function loadVault(state: string, folder: string): Vault | undefined {
  const path = join(folder, RECEIPT)
  const bytes = readOptionalFile(path, state, MAX_RECEIPT_BYTES)
  if (bytes === undefined) return undefined
  return { state, folder, receipt: parseOwn(path, bytes, receiptSchema) }
}

function parseOwn<T>(path: string, bytes: Buffer, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(bytes.toString('utf8')))
  } catch (cause) {
    const detail = cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause)
    throw new RethreadError({
      code: 'no-receipt',
      text: `${path} is not a receipt that this version of rethread understands: ${detail.split('\n')[0]}`,
      hint: `The copies beside it are plain files and still usable: ls -lR ${quote(dirname(path))}`,
      path,
      cause,
    })
  }
}
