// What a person adds to a conversation: a name, a pin, tags, or that it is hidden. rethread keeps it; the
// agent's files know nothing of it.
import { RethreadError } from './errors.ts'

export interface Label {
  name?: string
  isPinned: boolean
  isHidden: boolean
  /** In order, without repetitions. */
  tags: readonly string[]
}

/** Absent fields stay as they are. */
export interface LabelChange {
  /** Null removes the name. */
  name?: string | null
  isPinned?: boolean
  isHidden?: boolean
  /** Removed first: what is both removed and added stays. */
  removeTags?: readonly string[]
  addTags?: readonly string[]
}

export const MAX_NAME_CHARACTERS = 200
export const MAX_TAG_CHARACTERS = 50
export const MAX_TAGS = 32

/** The fields of a label in JSON. Absent where there is nothing to say. */
export interface LabelFields {
  /** The agent's own title, of a conversation that a person has named. */
  originalTitle?: string | null
  pinned?: true
  hidden?: true
  tags?: string[]
}

/** A name takes the place of the title. */
export function withLabel<Row extends { title: string | null }>(row: Row, label: Label | undefined): Row & LabelFields {
  if (label === undefined) return row
  return {
    ...row,
    ...(label.name === undefined ? {} : { title: label.name, originalTitle: row.title }),
    ...(label.isPinned ? { pinned: true as const } : {}),
    ...(label.isHidden ? { hidden: true as const } : {}),
    ...(label.tags.length === 0 ? {} : { tags: [...label.tags] }),
  }
}

/** Safe to show and to compare. Throws where nothing is left or too much is given. */
export function cleanChange(change: LabelChange): LabelChange {
  const { name, addTags, removeTags, ...marks } = change
  return {
    ...marks,
    ...(name === undefined ? {} : { name: name === null ? null : cleanName(name) }),
    ...(addTags === undefined ? {} : { addTags: addTags.map(cleanTag) }),
    ...(removeTags === undefined ? {} : { removeTags: removeTags.map(cleanTag) }),
  }
}

function cleanName(text: string): string {
  const name = visible(text)
  if (name === '') throw wrong('A name needs at least one visible character.')
  if ([...name].length > MAX_NAME_CHARACTERS)
    throw wrong(`A name has at most ${MAX_NAME_CHARACTERS} characters, and this one has ${[...name].length}.`)
  return name
}

/** Case, a leading # and spaces make no difference: "#Needs Review" and "needs-review" are the same tag. */
export function cleanTag(text: string): string {
  const tag = visible(text).toLowerCase().replace(/^#+/, '').trim().replaceAll(' ', '-')
  if (tag === '') throw wrong('A tag needs at least one visible character.')
  if (tag.includes(',')) throw wrong('A tag has no comma. Give several tags as several words.')
  if ([...tag].length > MAX_TAG_CHARACTERS)
    throw wrong(`A tag has at most ${MAX_TAG_CHARACTERS} characters, and this one has ${[...tag].length}.`)
  return tag
}

/**
 * One line without control characters, without invisible ones, and without those that change the direction.
 */
function visible(text: string): string {
  return (
    text
      .toWellFormed()
      .normalize('NFC')
      .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
      // Two of them join emoji and letters of some scripts.
      .replace(/(?![\u200c\u200d])\p{Cf}/gu, '')
      .replace(/\s+/gu, ' ')
      .trim()
  )
}

function wrong(text: string): RethreadError {
  return new RethreadError({
    code: 'usage',
    text,
    hint: 'For example: rethread name SESSION "Price field for the cart", or: rethread tag SESSION billing',
  })
}
