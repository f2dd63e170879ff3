// One xterm: its output, size and input. It lives as long as its pane, wherever the pane is shown.
import { FitAddon } from '@xterm/addon-fit'
import { SearchAddon } from '@xterm/addon-search'
import type { Terminal } from '@xterm/xterm'
import { safeAddress } from './links.ts'
import { enableWebgl, makeTerminal } from './make-terminal.ts'
import { followTheme, terminalTheme } from './terminal-theme.ts'
import { scrollByTouch } from './touch.ts'
import type { Size, ViewEvents } from './view-events.ts'

/**
 * Undrawn output: some seconds of a flood. Beyond this, output is skipped, and the screen is requested at the
 * end.
 */
const MOST_PENDING_CHARS = 4 * 1024 * 1024
/** A few frames. */
const MOVED_MS = 80
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
  #isMoving = false
  /** During a replay the answers of the terminal must not be sent to the program. */
  #isReplaying = false
  size: Size | undefined

  constructor(events: ViewEvents) {
    this.#events = events
    this.host.className = 'absolute inset-0 overflow-hidden font-mono [&_.xterm-viewport]:bg-transparent!'
    this.terminal = makeTerminal(text => this.#showLink(text))
    this.terminal.loadAddon(this.#fit)
    this.terminal.loadAddon(this.search)
    this.terminal.onData(data => this.#isReplaying || events.input(data))
    this.terminal.onBinary(data => this.#isReplaying || events.input(data))
    this.terminal.attachCustomKeyEventHandler(event => !events.key(event))
    this.host.addEventListener('focusin', () => events.focus())
    const stopTheme = followTheme(() => {
      this.terminal.options.theme = terminalTheme()
    })
    this.#stops = [stopTheme, scrollByTouch(this.host, this.terminal)]
  }

  /** Mounts it into the element of its pane. May be called again with another element. */
  mount(room: HTMLElement): void {
    const { viewportY, baseY } = this.terminal.buffer.active
    room.append(this.host)
    this.#observer.disconnect()
    this.#observer.observe(this.host)
    if (this.terminal.element === undefined) this.#open()
    else this.#keepPlace(baseY - viewportY)
  }

  #open(): void {
    this.terminal.options.fontFamily = getComputedStyle(this.host).fontFamily
    this.terminal.open(this.host)
    // The fit addon counts only the padding of this element.
    this.host.firstElementChild?.classList.add('h-full', 'pt-1', 'pl-2')
    enableWebgl(this.terminal)
    this.fit()
  }

  /**
   * A moved terminal loses its scroll position, and applies a new size fully only after it was drawn once.
   */
  #keepPlace(fromEnd: number): void {
    this.#isMoving = true
    setTimeout(() => {
      this.#isMoving = false
      this.fit()
      this.terminal.scrollToLine(Math.max(0, this.terminal.buffer.active.baseY - fromEnd))
    }, MOVED_MS)
  }

  fit(): void {
    if (this.#isMoving) return
    const room = this.host.isConnected && this.host.clientHeight > 0 ? this.#fit.proposeDimensions() : undefined
    if (room === undefined || Number.isNaN(room.cols) || Number.isNaN(room.rows)) return
    const size = { cols: Math.max(LEAST.cols, room.cols), rows: Math.max(LEAST.rows, room.rows) }
    if (size.cols === this.size?.cols && size.rows === this.size.rows) return
    this.size = size
    this.terminal.resize(size.cols, size.rows)
    this.#events.size(size)
  }

  /**
   * Replaces the screen with the stored output. With `isFirst` it was never displayed, so its queries are
   * answered.
   */
  replay(screen: string, isFirst: boolean): void {
    this.terminal.reset()
    this.#isReplaying = !isFirst
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

  /** Shows the real target of a link. */
  #showLink(text: string | undefined): void {
    const address = text === undefined ? undefined : safeAddress(text)
    this.host.title = address === undefined ? '' : `Ctrl-click or ⌘-click opens ${address}`
  }
}
