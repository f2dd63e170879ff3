// A hint for the command line, as this page says it: what a button here does is not told as a command as well. Pure.

/** With an id and nothing else: an option would ask for more than the button does. */
const OFFERED = /^(.*?)[:\s]+rethread (?:repair|check|show|resume|undo|list)(?: [^\s-]\S*)?$/s
/** "Repair it": the button says the same. */
const FEW_WORDS = 3

export function pageHint(text: string): string {
  const [, words] = OFFERED.exec(text.trim()) ?? []
  if (words === undefined) return text
  return words.trim().split(/\s+/).length <= FEW_WORDS ? '' : `${words.trim().replace(/[.:,;]+$/, '')}.`
}
