// Hints of the server: finds the command at the end of a hint, and removes commands that a button of the page
// replaces. Pure.

/**
 * "Start it in a terminal: rethread serve": the text after the first colon, if it is a whole command whose
 * words are plain or quoted. A name inside the quotes may look like another hint.
 */
const COMMAND =
  /^(.*?:)\s+((?:rethread|npx|chmod|sudo|lsof|ls|kill)(?: +(?:[\w@%+=:,./~*-]|'[^']*'|\\'|\$'(?:[^'\\]|\\.)*')+)+)$/s

export function commandIn(hint: string): { words: string; command: string } | undefined {
  const [, words, command] = COMMAND.exec(hint) ?? []
  return words === undefined || command === undefined ? undefined : { words, command }
}

/** Only with an id: a button does not do what an option requests. */
const OFFERED = /^(.*?)[:\s]+rethread (?:repair|check|show|resume|undo|list|versions|restore)(?: [^\s-]\S*)?$/s
/** A shorter text, such as "Repair it", repeats the label of the button. */
const FEW_WORDS = 3

export function pageHint(text: string): string {
  const [, words] = OFFERED.exec(text.trim()) ?? []
  if (words === undefined) return text
  return words.trim().split(/\s+/).length <= FEW_WORDS ? '' : `${words.trim().replace(/[.:,;]+$/, '')}.`
}
