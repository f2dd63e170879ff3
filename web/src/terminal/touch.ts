// A finger scrolls a terminal as a wheel would, so that what runs in it gets what it asked for.
const LINE_PX = 16

export function scrollByTouch(host: HTMLElement): () => void {
  let last: number | undefined
  const begin = (event: TouchEvent) => {
    last = event.touches.length === 1 ? event.touches[0]?.clientY : undefined
  }
  const move = (event: TouchEvent) => {
    const touch = event.touches[0]
    if (last === undefined || touch === undefined || Math.abs(last - touch.clientY) < LINE_PX / 2) return
    event.preventDefault()
    const wheel = { deltaY: last - touch.clientY, clientX: touch.clientX, clientY: touch.clientY }
    const target = host.querySelector('.xterm-screen') ?? host
    target.dispatchEvent(new WheelEvent('wheel', { ...wheel, deltaMode: 0, bubbles: true, cancelable: true }))
    last = touch.clientY
  }
  host.addEventListener('touchstart', begin, { passive: true })
  host.addEventListener('touchmove', move, { passive: false })
  return () => {
    host.removeEventListener('touchstart', begin)
    host.removeEventListener('touchmove', move)
  }
}
