// Makes the text of a session safe to display. Invisible characters and those that reorder a line are shown
// as visible ones.
const REPLACEMENT = '\uFFFD'
const FIRST_PICTURE = 0x2400
const DELETE_PICTURE = '\u2421'
/** They change the text direction. With them a line can show something other than it says. */
const BIDI = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g
const SEPARATORS = /[\u2028\u2029\u0085]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g

/** Keeps line feeds and tabs. */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replace(SEPARATORS, '\n')
    .replace(BIDI, REPLACEMENT)
    .replace(CONTROLS, pictureOf)
}

/** For a title or a path: all on one line. */
export function cleanLine(text: string): string {
  return cleanText(text)
    .replace(/[\s\u240D]+/g, ' ')
    .trim()
}

function pictureOf(control: string): string {
  const code = control.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(FIRST_PICTURE + code)
  return code === 0x7f ? DELETE_PICTURE : REPLACEMENT
}
