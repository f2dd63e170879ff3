// Creates an xterm that is accessible, and ignores dangerous requests of programs.
import { WebLinksAddon } from '@xterm/addon-web-links'
import { WebglAddon } from '@xterm/addon-webgl'
import { Terminal } from '@xterm/xterm'
import { openLink } from './links.ts'
import { terminalTheme } from './terminal-theme.ts'

const SCROLLBACK_LINES = 5000

/** `onLink` gets the address under the pointer, and undefined when the pointer leaves it. */
export function makeTerminal(onLink: (text: string | undefined) => void): Terminal {
  const pointing = { hover: (_: MouseEvent, text: string) => onLink(text), leave: () => onLink(undefined) }
  const terminal = new Terminal({
    allowProposedApi: true,
    screenReaderMode: true,
    scrollback: SCROLLBACK_LINES,
    minimumContrastRatio: 4.5,
    fontSize: 13,
    lineHeight: 1.2,
    theme: terminalTheme(),
    linkHandler: { activate: openLink, ...pointing },
  })
  terminal.loadAddon(new WebLinksAddon(openLink, pointing))
  // Programs can neither write to the clipboard nor read it. Their titles are ignored.
  terminal.parser.registerOscHandler(52, () => true)
  return terminal
}

/** WebGL is faster. Without it the page draws the terminal. */
export function enableWebgl(terminal: Terminal): void {
  try {
    const graphics = new WebglAddon()
    graphics.onContextLoss(() => graphics.dispose())
    terminal.loadAddon(graphics)
  } catch {
    // The terminal works without WebGL.
  }
}
