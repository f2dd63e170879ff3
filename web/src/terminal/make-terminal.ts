// An xterm as we want it: readable to all, and deaf to what a hostile program would ask of it.
import { WebLinksAddon } from '@xterm/addon-web-links'
import { WebglAddon } from '@xterm/addon-webgl'
import { Terminal } from '@xterm/xterm'
import { openLink } from './links.ts'
import { terminalTheme } from './terminal-theme.ts'

const SCROLLBACK_LINES = 5000

/** `onLink` hears the address under the pointer, and undefined when it has left. */
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
  // What runs in it neither writes to the person's clipboard nor reads it. Its title is nobody's business: nothing listens to it.
  terminal.parser.registerOscHandler(52, () => true)
  return terminal
}

/** Drawing by the graphics card is faster; where there is none, the page draws it. */
export function drawByGraphics(terminal: Terminal): void {
  try {
    const graphics = new WebglAddon()
    graphics.onContextLoss(() => graphics.dispose())
    terminal.loadAddon(graphics)
  } catch {
    // The terminal draws without it.
  }
}
