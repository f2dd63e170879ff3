// Scrolls a terminal by touch: through its output, or like a mouse wheel if the program uses the whole
// screen.
import type { Terminal } from '@xterm/xterm'

const LINE_PX = 16

export function scrollByTouch(host: HTMLElement, terminal: Terminal): () => void {
  let last: number | undefined
  host.style.touchAction = 'none'
  const begin = (event: TouchEvent) => {
    last = event.touches.length === 1 ? event.touches[0]?.clientY : undefined
  }
  const move = (event: TouchEvent) => {
    const touch = event.touches[0]
    if (last === undefined || touch === undefined) return
    const lines = Math.trunc((last - touch.clientY) / LINE_PX)
    if (lines === 0) return
    event.preventDefault()
    last -= lines * LINE_PX
    const isProgramOwn = terminal.buffer.active.type === 'alternate' || terminal.modes.mouseTrackingMode !== 'none'
    if (isProgramOwn) turnWheel(host, touch, lines)
    else terminal.scrollLines(lines)
  }
  host.addEventListener('touchstart', begin, { passive: true })
  host.addEventListener('touchmove', move, { passive: false })
  return () => {
    host.removeEventListener('touchstart', begin)
    host.removeEventListener('touchmove', move)
  }
}

function turnWheel(host: HTMLElement, { clientX, clientY }: Touch, lines: number): void {
  const turn = {
    deltaY: lines,
    deltaMode: WheelEvent.DOM_DELTA_LINE,
    clientX,
    clientY,
    bubbles: true,
    cancelable: true,
  }
  host.querySelector('.xterm-screen')?.dispatchEvent(new WheelEvent('wheel', turn))
}
