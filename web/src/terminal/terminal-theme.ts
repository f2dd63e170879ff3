// The colours of a terminal, from the current colours of the page.
import type { ITheme } from '@xterm/xterm'
import { theme } from '../theme.ts'

const dark = matchMedia('(prefers-color-scheme: dark)')

export function terminalTheme(): ITheme {
  const of = makeReader()
  const magenta = of('color-mix(in oklab, var(--lost), var(--accent))')
  const cyan = of('color-mix(in oklab, var(--live), var(--healthy))')
  const plain = {
    red: of('var(--lost)'),
    green: of('var(--healthy)'),
    yellow: of('var(--damaged)'),
    blue: of('var(--live)'),
    magenta,
    cyan,
  }
  return {
    ...plain,
    background: of('var(--raised)'),
    foreground: of('var(--strong)'),
    cursor: of('var(--accent)'),
    cursorAccent: of('var(--on-accent)'),
    selectionBackground: of('var(--accent)', 0.3),
    black: of('light-dark(#18181b, #2a2a2f)'),
    white: of('light-dark(#c9c9d0, #d0d0d6)'),
    brightBlack: of('var(--quiet)'),
    brightRed: plain.red,
    brightGreen: plain.green,
    brightYellow: plain.yellow,
    brightBlue: of('var(--accent)'),
    brightMagenta: magenta,
    brightCyan: cyan,
    brightWhite: of('light-dark(#e4e4e7, #ffffff)'),
  }
}

/** Calls `listener` when the page becomes light or dark. */
export function followTheme(listener: () => void): () => void {
  const stop = theme.subscribe(() => requestAnimationFrame(listener))
  dark.addEventListener('change', listener)
  return () => {
    stop()
    dark.removeEventListener('change', listener)
  }
}

/** The terminal accepts plain colours only, so each colour is resolved by painting it once. */
function makeReader(): (colour: string, opacity?: number) => string {
  const probe = document.createElement('span')
  document.body.append(probe)
  const canvas = document.createElement('canvas')
  canvas.width = 1
  canvas.height = 1
  const context = canvas.getContext('2d', { willReadFrequently: true })
  queueMicrotask(() => probe.remove())
  return (colour, opacity = 1) => {
    probe.style.color = colour
    const resolved = getComputedStyle(probe).color
    if (context === null) return resolved
    context.fillStyle = resolved
    context.fillRect(0, 0, 1, 1)
    const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data
    const alpha = Math.round(opacity * 255)
    return `#${[red, green, blue, alpha].map(part => part.toString(16).padStart(2, '0')).join('')}`
  }
}
