// A damage is one folder and one line: nothing but its folder and the list names it.
import type { Parsed } from './source.ts'

export const LISTS: readonly string[] = ['src/repair/damage/index.ts', 'src/repair/damage/lines/index.ts']

/**
 * Who may name a damage all the same. A reader has nothing to do with checks: it says what it could not read, in its own words, under the public id by
 * which a check would report the same bytes.
 */
export const EXCUSED: readonly { within: string; ids: readonly string[]; because: string }[] = [
  { within: 'src/agents/stores/', ids: ['repeated-records'], because: 'says which copies it does not give twice' },
  {
    within: 'src/agents/gemini-cli/',
    ids: ['emptied-history', 'lost-header'],
    because: 'reads on where its agent finds nothing',
  },
  {
    within: 'src/agents/opencode/',
    ids: ['lost-header', 'malformed-record'],
    because: 'reads files and rows, not lines',
  },
  { within: 'src/agents/cursor/', ids: ['nul-run'], because: 'reads transcripts that are plain text' },
  {
    within: 'src/agents/codex/',
    ids: ['lost-index'],
    because: 'any edit of a log asks for changes of its index, which are reported under this id',
  },
  {
    within: 'src/agents/jp/',
    ids: [
      'cut-document',
      'document-rest',
      'lone-surrogate',
      'lost-header',
      'malformed-document',
      'malformed-record',
      'trailing-comma',
      'unreadable-file',
    ],
    because: 'is checked and repaired as its own program does it, under the same public ids',
  },
  { within: 'src/journal/', ids: ['unreadable-row'], because: 'reads its own database' },
]

/** The damage whose folder a file is in. */
export function damageFolderOf(path: string): string | undefined {
  const [, folder] = /^src\/repair\/damage\/(?:lines\/)?([^/]+)\//.exec(path) ?? []
  return folder
}

export function checkDamageNames(file: Parsed, ids: readonly string[]): string[] {
  if (LISTS.includes(file.path)) return []
  return ids
    .filter(id => damageFolderOf(file.path) !== id && !isExcused(file.path, id))
    .flatMap(id =>
      linesNaming(file, id).map(line => `${file.path}:${line}: names the damage ${id}, which its folder alone may do`),
    )
}

/** What is excused and does not happen any more. */
export function findIdleExcuses(files: readonly Parsed[]): string[] {
  return EXCUSED.flatMap(({ within, ids }) =>
    ids
      .filter(id => !files.some(file => file.path.startsWith(within) && linesNaming(file, id).length > 0))
      .map(id => `${within}: ${id}`),
  )
}

function isExcused(path: string, id: string): boolean {
  return EXCUSED.some(({ within, ids }) => path.startsWith(within) && ids.includes(id))
}

function linesNaming({ imports, words }: Parsed, id: string): number[] {
  const name = new RegExp(`(?<![\\w-])${id}(?![\\w-])`)
  return [
    ...imports.filter(({ from, isOwn }) => isOwn && damageFolderOf(from) === id),
    ...words.filter(({ kind, text }) => kind !== 'identifier' && name.test(text)),
  ].map(({ line }) => line)
}
