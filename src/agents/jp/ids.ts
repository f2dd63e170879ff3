// Ids and names of folders. An id is the moment of creation in tenths of a second; the folder is named by it and by the title.

export type FolderName =
  | { type: 'canonical'; id: string; slug: string | undefined }
  /** JP parses and lists it, but looks for the number as it would write it itself, and so never finds it. */
  | { type: 'noncanonical'; id: string; slug: string | undefined }
  /** No id: JP moves the folder to its trash. */
  | { type: 'unparseable' }

/** An id counts in tenths of a second and must fit into 64 bits as nanoseconds. */
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

/** As JP shows it, and takes it on the command line. */
export function displayId(id: string): string {
  return `jp-c${id}`
}

/** `jp-c17636257526`, with or without the workspace behind it, or the bare number. */
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

/** The name that JP itself gives to the folder of a conversation. */
export function folderNameOf(id: string, title: string | undefined): string {
  const slug = [...(title ?? '').trim()]
    .slice(0, SLUG_CHARACTERS)
    .join('')
    .replace(/[^\p{Alphabetic}\p{N}]/gu, '-')
    .replace(/-+$/, '')
    .toLowerCase()
  if (slug === '') return id
  const name = `${id}-${slug}`
  // The last word may have been cut in its middle, so it goes; a title of one long word goes as a whole.
  return Buffer.byteLength(title ?? '') > SLUG_BYTES ? name.slice(0, name.lastIndexOf('-')) : name
}

/** What is left of a title in the name of its folder. */
export function titleOfSlug(slug: string | undefined): string | undefined {
  const words = slug?.split('-').filter(word => word !== '') ?? []
  return words.length === 0 ? undefined : words.join(' ')
}
