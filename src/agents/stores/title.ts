// A title from what the person first said, where the agent keeps none.

const MAX_TITLE_CHARACTERS = 120
/** What agents wrap around text that no person typed: reminders, the environment, output of commands. */
const WRAPPER = /<([a-z][\w-]*)(?:\s[^>]*)?>[\s\S]*?<\/\1>/gi
const SLASH_COMMAND = /^\/(?:clear|compact|exit|help|init|login|logout|model|resume|status)\b/

/** The title a prompt gives, or undefined where it holds nothing a person said. */
export function titleFrom(prompt: string): string | undefined {
  // Only the beginning is looked at: prompts can hold megabytes of pasted text.
  const said = prompt.slice(0, 20_000).replace(WRAPPER, ' ').replace(/\s+/g, ' ').trim()
  if (said === '' || SLASH_COMMAND.test(said)) return undefined
  return shorten(said, MAX_TITLE_CHARACTERS)
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
