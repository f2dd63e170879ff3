// The command at the end of a hint, for a button that copies it.

/**
 * "Start it in a terminal: rethread serve": what follows the first colon is to paste, if it is a whole command whose words are plain or quoted.
 * A name inside the quotes may look like another hint.
 */
const COMMAND =
  /^(.*?:)\s+((?:rethread|npx|chmod|sudo|lsof|ls|kill)(?: +(?:[\w@%+=:,./~*-]|'[^']*'|\\'|\$'(?:[^'\\]|\\.)*')+)+)$/s

export function commandIn(hint: string): { words: string; command: string } | undefined {
  const [, words, command] = COMMAND.exec(hint) ?? []
  return words === undefined || command === undefined ? undefined : { words, command }
}
