// Queries of each kind, taken from what is indexed: no two of them are the same.
import { DatabaseSync } from 'node:sqlite'
import { Random } from '../../src/agents/samples/random.ts'

const MOST_RARE = 20
/** A common word is in one part of ten, or more. */
const COMMON_SHARE = 0.1
const PHRASE_WORDS = 3

/** For each kind, up to so many. A home of generated sessions has fewer common words than that. */
export function queriesFor(index: string, texts: readonly string[], count: number): Record<string, string[]> {
  const random = new Random(7)
  const database = new DatabaseSync(index)
  database.exec("CREATE VIRTUAL TABLE temp.terms USING fts5vocab ('main', 'words', 'row')")
  const parts = Number(database.prepare('SELECT count(*) AS parts FROM parts').get()?.['parts'])
  // Not the words that name sessions.
  const terms = (least: number, most: number): string[] =>
    database
      .prepare("SELECT term FROM temp.terms WHERE doc BETWEEN ? AND ? AND length(term) > 2 AND term NOT GLOB 's[0-9]*'")
      .all(least, most)
      .map(({ term }) => String(term))
  const rare = terms(1, MOST_RARE)
  const common = terms(parts * COMMON_SHARE, parts)
  const frequent = terms(parts * (COMMON_SHARE / 10), parts)
  database.close()
  return {
    'a rare word': different(count, () => random.pick(rare)),
    'a phrase': different(count, () => phraseFrom(random.pick(texts), random)),
    'two words': different(count, () => `${random.pick(frequent)} ${random.pick(frequent)}`),
    'a common word': different(count, () => random.pick(common)),
  }
}

function phraseFrom(text: string, random: Random): string {
  const words = text.match(/[a-z]+(?: [a-z]+)+/gi) ?? []
  const run = words.length === 0 ? [] : random.pick(words).split(' ')
  const start = random.below(Math.max(1, run.length - PHRASE_WORDS + 1))
  const phrase = run.slice(start, start + PHRASE_WORDS)
  return phrase.length === PHRASE_WORDS ? `"${phrase.join(' ')}"` : ''
}

const TRIES = 20

function different(count: number, make: () => string): string[] {
  const made = new Set<string>()
  for (let tries = 0; made.size < count && tries < count * TRIES; tries++) made.add(make())
  made.delete('')
  return [...made]
}
