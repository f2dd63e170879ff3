// Makes text from sessions, titles and file names safe to show: no escape sequence, no control character, and
// nothing that changes the direction of a line.

const LINE_BREAKS = /\r\n|[\r\u2028\u2029\u0085\v\f]/g
/** C0 without tab and newline, DEL, C1. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are replaced
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
/** Characters that change the text direction. With them a line can show something other than it says. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Keeps the lines. Control characters become their visible pictures (␛ for escape). */
export function cleanText(text: string): string {
  return text.toWellFormed().replace(LINE_BREAKS, '\n').replace(CONTROLS, picture).replace(DIRECTION, '\ufffd')
}

/**
 * Text that names a path. A line break in the path becomes a picture, so that a file name cannot add a line.
 */
export function cleanTextWithPath(text: string, path: string | undefined): string {
  return cleanText(
    path === undefined ? text : text.replaceAll(path, path.replace(LINE_BREAKS, '\n').replaceAll('\n', '␊')),
  )
}

/** Safe text on one line. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ').trim()
}

function picture(character: string): string {
  const code = character.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? '\u2421' : '\ufffd'
}
