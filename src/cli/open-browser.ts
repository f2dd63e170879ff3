// Opens an address in the user's browser. It is not an error if that fails: the address is printed as well.
import { locateProgram, startProgram } from '../disk/processes/start-program.ts'
import { program, textValue, type Value, type Words, words } from '../model/program.ts'

interface Opener {
  command: string
  words(address: Value): Words
}

const OPENERS: Partial<Record<NodeJS.Platform, Opener>> = {
  darwin: { command: 'open', words: address => words(address) },
  // Not `cmd /c start`, which would read the address as a part of its own command line.
  win32: { command: 'rundll32', words: address => words('url.dll,FileProtocolHandler', address) },
}
const OTHER_PLATFORMS: Opener = { command: 'xdg-open', words: address => words(address) }

/** Does nothing without a screen or a browser. Opens http addresses only. */
export function openBrowser(address: string): void {
  const opener = OPENERS[process.platform] ?? OTHER_PLATFORMS
  const hasScreen = process.platform in OPENERS || Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY'])
  if (!hasScreen || !/^https?:\/\//.test(address)) return
  const found = locateProgram(program(opener.command, opener.words(textValue(address))), '/', process.env)
  if (found === undefined) return
  const child = startProgram(found, { stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
}
