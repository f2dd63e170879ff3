// Ids and folder names. An id is the time of creation in tenths of a second. The name of a folder is the id
// and the title.

export type FolderName =
  | { type: 'canonical'; id: string; slug: string | undefined }
  /** JP lists the folder but never finds it, because it searches for the number in its own spelling. */
  | { type: 'noncanonical'; id: string; slug: string | undefined }
  /** There is no id. JP moves the folder to its trash. */
  | { type: 'unparseable' }

/** The time of an id must fit into 64 bits as nanoseconds. */
const MAX_ID = 92_233_720_368n
const DECISECOND_MS = 100
const SLUG_CHARACTERS = 60
const SLUG_BYTES = 60

export function parseFolderName(name: string): FolderName {
  const border = name.indexOf('-')
  const number = border === -1 ? name : name.slice(0, border)
  if (!/^\+?[0-9]+$/.test(number) || BigInt(number) > MAX_ID) return { type: 'unparseable' }
  const id = String(BigInt(number))
  const slug = border === -1 || border === name.length - 1 ? undefined : name.slice(border + 1)
  return { type: number === id ? 'canonical' : 'noncanonical', id, slug }
}

/** The form that JP shows and accepts on the command line. */
export function displayId(id: string): string {
  return `jp-c${id}`
}

/** Accepts `jp-c17636257526`, with or without the workspace after it, or the number alone. */
export function parseDisplayId(text: string): string | undefined {
  const number = /^(?:jp-c)?([0-9]+)(?:-[0-9a-z]+)?$/.exec(text)?.[1]
  if (number === undefined) return undefined
  const parsed = parseFolderName(number)
  return parsed.type === 'unparseable' ? undefined : parsed.id
}

/** Milliseconds since 1970. */
export function timeOfId(id: string): number {
  return Number(id) * DECISECOND_MS
}

export function idOfTime(milliseconds: number): string {
  return String(Math.floor(milliseconds / DECISECOND_MS))
}

/** The name that JP gives to the folder of a conversation. */
export function folderNameOf(id: string, title: string | undefined): string {
  const slug = [...(title ?? '').trim()]
    .slice(0, SLUG_CHARACTERS)
    .join('')
    .replace(/[^\p{Alphabetic}\p{N}]/gu, '-')
    .replace(/-+$/, '')
    .toLowerCase()
  if (slug === '') return id
  const name = `${id}-${slug}`
  // The last word may be cut, so it is dropped. A title of one long word is dropped completely.
  return Buffer.byteLength(title ?? '') > SLUG_BYTES ? name.slice(0, name.lastIndexOf('-')) : name
}

/** The title as far as the name of the folder still has it. */
export function titleOfSlug(slug: string | undefined): string | undefined {
  const words = slug?.split('-').filter(word => word !== '') ?? []
  return words.length === 0 ? undefined : words.join(' ')
}
