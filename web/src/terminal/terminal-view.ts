// One xterm: what it shows, how large it is, and what is typed into it. Lives as long as its pane, wherever the pane stands.
import { FitAddon } from '@xterm/addon-fit'
import { SearchAddon } from '@xterm/addon-search'
import { WebLinksAddon } from '@xterm/addon-web-links'
import { WebglAddon } from '@xterm/addon-webgl'
import { Terminal } from '@xterm/xterm'
import { openLink, safeAddress } from './links.ts'
import { followTheme, terminalTheme } from './terminal-theme.ts'
import { scrollByTouch } from './touch.ts'

export interface Size {
  cols: number
  rows: number
}

export interface ViewEvents {
  input(data: string): void
  /** Of the room it has, whenever that changes; not before it is on the screen. */
  size(size: Size): void
  focus(): void
  /** True where the key was meant for the pane and not for what runs in it. */
  key(event: KeyboardEvent): boolean
  /** More has come than can be drawn: nothing is taken until `caughtUp`. */
  behind(): void
  caughtUp(): void
}

const SCROLLBACK_LINES = 5000
/** Not yet drawn. Some seconds of a flood; beyond it the rest is skipped, and the screen asked for when it is over. */
const MOST_PENDING_CHARS = 4 * 1024 * 1024
const LEAST = { cols: 20, rows: 3 }

export class TerminalView {
  readonly host = document.createElement('div')
  readonly search = new SearchAddon()
  readonly terminal: Terminal
  readonly #events: ViewEvents
  readonly #fit = new FitAddon()
  readonly #observer = new ResizeObserver(() => requestAnimationFrame(() => this.fit()))
  readonly #stops: (() => void)[]
  #pending = 0
  #isBehind = false
  /** Answers that the terminal gives to what it is shown again must not be typed into what runs. */
  #isReplaying = false
  size: Size | undefined

  constructor(events: ViewEvents) {
    this.#events = events
    this.host.className = 'absolute inset-0 overflow-hidden pl-2 pt-1 font-mono'
    this.terminal = new Terminal({
      allowProposedApi: true,
      screenReaderMode: true,
      scrollback: SCROLLBACK_LINES,
      minimumContrastRatio: 4.5,
      fontSize: 13,
      lineHeight: 1.2,
      theme: terminalTheme(),
      linkHandler: {
        activate: openLink,
        hover: (_, text) => this.#tellLink(text),
        leave: () => this.#tellLink(undefined),
      },
    })
    const stopTheme = followTheme(() => {
      this.terminal.options.theme = terminalTheme()
    })
    this.#stops = [stopTheme, scrollByTouch(this.host)]
    this.#load()
  }

  #load(): void {
    const { terminal } = this
    terminal.loadAddon(this.#fit)
    terminal.loadAddon(this.search)
    terminal.loadAddon(
      new WebLinksAddon(openLink, {
        hover: (_, text) => this.#tellLink(text),
        leave: () => this.#tellLink(undefined),
      }),
    )
    // What runs in it neither writes to the person's clipboard nor reads it.
    terminal.parser.registerOscHandler(52, () => true)
    terminal.onData(data => this.#isReplaying || this.#events.input(data))
    terminal.onBinary(data => this.#isReplaying || this.#events.input(data))
    terminal.attachCustomKeyEventHandler(event => !this.#events.key(event))
    this.host.addEventListener('focusin', () => this.#events.focus())
  }

  /** Into the room of its pane; may be called again with another. */
  mount(room: HTMLElement): void {
    room.append(this.host)
    if (this.terminal.element === undefined) {
      this.terminal.options.fontFamily = getComputedStyle(this.host).fontFamily
      this.terminal.open(this.host)
      this.#drawByGraphics()
    }
    this.#observer.observe(this.host)
    this.fit()
  }

  fit(): void {
    const room = this.host.isConnected && this.host.clientHeight > 0 ? this.#fit.proposeDimensions() : undefined
    if (room === undefined || Number.isNaN(room.cols) || Number.isNaN(room.rows)) return
    const size = { cols: Math.max(LEAST.cols, room.cols), rows: Math.max(LEAST.rows, room.rows) }
    if (size.cols === this.size?.cols && size.rows === this.size.rows) return
    this.size = size
    this.terminal.resize(size.cols, size.rows)
    this.#events.size(size)
  }

  /** All that was there before, in place of what is shown. */
  replay(screen: string): void {
    this.terminal.reset()
    this.#isReplaying = true
    this.terminal.write(screen, () => {
      this.#isReplaying = false
    })
  }

  write(data: string): void {
    if (this.#isBehind) return
    this.#pending += data.length
    this.terminal.write(data, () => this.#drawn(data.length))
    if (this.#pending < MOST_PENDING_CHARS) return
    this.#isBehind = true
    this.#events.behind()
  }

  #drawn(chars: number): void {
    this.#pending -= chars
    if (!this.#isBehind || this.#pending > 0) return
    this.#isBehind = false
    this.#events.caughtUp()
  }

  dispose(): void {
    this.#observer.disconnect()
    for (const stop of this.#stops) stop()
    this.terminal.dispose()
    this.host.remove()
  }

  /** Drawing by the graphics card is faster; where there is none, the page draws it. */
  #drawByGraphics(): void {
    try {
      const graphics = new WebglAddon()
      graphics.onContextLoss(() => graphics.dispose())
      this.terminal.loadAddon(graphics)
    } catch {
      // The terminal draws without it.
    }
  }

  /** Where a link really leads, whatever its words say. */
  #tellLink(text: string | undefined): void {
    const address = text === undefined ? undefined : safeAddress(text)
    this.host.title = address === undefined ? '' : `Ctrl-click or ⌘-click opens ${address}`
  }
}
