// Patterns with stars, as .gitignore and configurations have them. They come with a repository of others, so
// matching takes at most the length of the pattern times that of the name. Libraries turn a pattern into a
// RegExp, which can take minutes: picomatch 4 with seven stars in a name, ignore 7 with six `**/`.

/**
 * Matches one name: `*` is any run of characters, `?` one,
 * `[a-z]` one of a class, `\` takes the next as it is.
 */
export function matchesName(pattern: string, name: string): boolean {
  return matchesAll(splitName(pattern), [...name], (token, char) => token.accepts(char))
}

/** Matches a path, step by step: `**` is any number of steps. */
export function matchesPath(pattern: readonly string[], path: readonly string[]): boolean {
  const steps = pattern.map(
    (step): Token<string> =>
      step === '**' ? { isRun: true, accepts: () => true } : { isRun: false, accepts: name => matchesName(step, name) },
  )
  return matchesAll(steps, path, (token, name) => token.accepts(name))
}

interface Token<T> {
  isRun: boolean
  accepts(item: T): boolean
}

/** Only the last run is ever made longer: an earlier one that took more could not match more. */
function matchesAll<T>(
  tokens: readonly Token<T>[],
  items: readonly T[],
  accepts: (token: Token<T>, item: T) => boolean,
): boolean {
  let [token, item] = [0, 0]
  let retry: { token: number; item: number } | undefined
  while (item < items.length) {
    const current = tokens[token]
    const value = items[item]
    if (current?.isRun) {
      retry = { token: token + 1, item }
      token++
    } else if (current !== undefined && value !== undefined && accepts(current, value)) {
      token++
      item++
    } else if (retry !== undefined) {
      retry.item++
      ;[token, item] = [retry.token, retry.item]
    } else return false
  }
  return tokens.slice(token).every(({ isRun }) => isRun)
}

const ANY_RUN: Token<string> = { isRun: true, accepts: () => true }
const ANY_ONE: Token<string> = { isRun: false, accepts: () => true }

function splitName(pattern: string): Token<string>[] {
  const chars = [...pattern]
  const tokens: Token<string>[] = []
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? ''
    const end = char === '[' ? endOfClass(chars, at) : undefined
    if (char === '*') tokens.push(ANY_RUN)
    else if (char === '?') tokens.push(ANY_ONE)
    else if (end !== undefined) {
      tokens.push(oneOf(chars.slice(at + 1, end)))
      at = end
    } else {
      if (char === '\\' && at + 1 < chars.length) at++
      tokens.push(exactly(chars[at] ?? ''))
    }
  }
  return tokens
}

function exactly(wanted: string): Token<string> {
  return { isRun: false, accepts: char => char === wanted }
}

/** A bracket that is the first in a class belongs to it; undefined where nothing closes it. */
function endOfClass(chars: readonly string[], start: number): number | undefined {
  const first = chars[start + 1] === '!' || chars[start + 1] === '^' ? start + 2 : start + 1
  const end = chars.indexOf(']', first + 1)
  return end === -1 ? undefined : end
}

function oneOf(chars: readonly string[]): Token<string> {
  const isNot = chars[0] === '!' || chars[0] === '^'
  const members = isNot ? chars.slice(1) : chars
  const ranges: [string, string][] = []
  for (let at = 0; at < members.length; at++) {
    const [from, dash, to] = members.slice(at, at + 3)
    if (from === undefined) break
    const isRange = dash === '-' && to !== undefined
    ranges.push([from, isRange ? to : from])
    if (isRange) at += 2
  }
  return { isRun: false, accepts: char => ranges.some(([from, to]) => from <= char && char <= to) !== isNot }
}
