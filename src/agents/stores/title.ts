// A title from the person's first prompt, for agents that store none.

const MAX_TITLE_CHARACTERS = 120
/** Agents wrap text that no person typed in tags: reminders, the environment, output of commands. */
const WRAPPER = /<([a-z][\w-]*)(?:\s[^>]*)?>[\s\S]*?<\/\1>/gi
const SLASH_COMMAND = /^\/(?:clear|compact|exit|help|init|login|logout|model|resume|status)\b/

/** The title from a prompt. Undefined if it holds nothing from a person. */
export function titleFrom(prompt: string): string | undefined {
  // Only the start is used: prompts can hold megabytes of pasted text.
  const words = prompt.slice(0, 20_000).replace(WRAPPER, ' ').replace(/\s+/g, ' ').trim()
  if (words === '' || SLASH_COMMAND.test(words)) return undefined
  return shorten(words, MAX_TITLE_CHARACTERS)
}

export function shorten(text: string, characters: number): string {
  const all = [...text.slice(0, characters * 2)]
  return all.length <= characters && text.length <= characters * 2
    ? text
    : `${all
        .slice(0, characters - 1)
        .join('')
        .trimEnd()}…`
}
