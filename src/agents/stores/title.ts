// A title from the person's first prompt, for agents that store none.

const MAX_TITLE_CHARACTERS = 120
/** The title is usually made of the first of so many. */
const ENOUGH_CHARACTERS = 4 * MAX_TITLE_CHARACTERS
/** Agents wrap text that no person typed in tags: reminders, the environment, output of commands. */
const WRAPPER = /<([a-z][\w-]*)(?:\s[^>]*)?>[\s\S]*?<\/\1>/gi
/** All but single spaces, of which a text has many. */
const SPACES = /\s{2,}|[^\S ]/g
const SLASH_COMMAND = /^\/(?:clear|compact|exit|help|init|login|logout|model|resume|status)\b/

/** The title from a prompt. Undefined if it holds nothing from a person. */
export function titleFrom(prompt: string): string | undefined {
  // Only the start is used: prompts can hold megabytes of pasted text.
  const first = prompt.slice(0, 20_000)
  const text = first.includes('<') ? first.replace(WRAPPER, ' ') : first
  const start = withoutSpaces(text.slice(0, ENOUGH_CHARACTERS))
  const words = start.length > 2 * MAX_TITLE_CHARACTERS ? start : withoutSpaces(text)
  if (words === '' || SLASH_COMMAND.test(words)) return undefined
  return shorten(words, MAX_TITLE_CHARACTERS)
}

function withoutSpaces(text: string): string {
  return text.replace(SPACES, ' ').trim()
}

/** At most so many characters, whether or not they are pairs of surrogates. */
export function shorten(text: string, characters: number): string {
  if (text.length <= characters) return text
  let end = 0
  for (let count = 1; count < characters; count++) end = pastCharacter(text, end)
  return pastCharacter(text, end) >= text.length ? text : `${text.slice(0, end).trimEnd()}…`
}

function pastCharacter(text: string, at: number): number {
  return at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)
}
