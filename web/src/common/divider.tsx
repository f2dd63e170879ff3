// The line between two panes. The pointer drags it, the arrow keys move it, a double click resets it.
import type { KeyboardEvent, PointerEvent } from 'react'
import { useRef } from 'react'

interface Props {
  label: string
  /** The orientation of the line. */
  orientation: 'vertical' | 'horizontal'
  /** The size of the pane, in the same unit as the bounds. */
  value: number
  least: number
  most: number
  step: number
  /** The pane is after the line: it grows when the line moves up or left. */
  isBehind?: boolean
  /** The element that is divided, if it is not the parent of the line. */
  roomOf?: (line: HTMLElement) => Element | null
  /** The value for a pointer at `fromStart` pixels of a room of `room` pixels. */
  valueAt: (fromStart: number, room: number) => number
  onValue: (value: number) => void
  onReset?: () => void
}

export function Divider({ label, orientation, value, least, most, step, isBehind = false, ...rest }: Props) {
  const { roomOf = line => line.parentElement, valueAt, onValue, onReset } = rest
  const line = useRef<HTMLDivElement>(null)
  const isVertical = orientation === 'vertical'
  const set = (wanted: number) => onValue(Math.min(Math.max(wanted, least), Math.max(least, most)))
  const drag = (event: PointerEvent) => {
    if (line.current === null || !event.currentTarget.hasPointerCapture(event.pointerId)) return
    const room = roomOf(line.current)?.getBoundingClientRect()
    if (room === undefined) return
    set(isVertical ? valueAt(event.clientX - room.left, room.width) : valueAt(event.clientY - room.top, room.height))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const [back, forth] = isVertical ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown']
    const grows = isBehind ? back : forth
    const shrinks = isBehind ? forth : back
    if (event.key === grows) set(value + step)
    else if (event.key === shrinks) set(value - step)
    else if (event.key === 'Home') set(least)
    else if (event.key === 'End') set(most)
    else return
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved
    <div
      ref={line}
      role="separator"
      aria-label={label}
      aria-orientation={orientation}
      aria-valuenow={Math.round(value)}
      aria-valuemin={Math.round(least)}
      aria-valuemax={Math.round(Math.max(least, most))}
      tabIndex={0}
      data-divider
      onPointerDown={event => {
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerMove={drag}
      onDoubleClick={onReset}
      onKeyDown={onKeyDown}
      className={`relative z-10 shrink-0 touch-none bg-line hover:bg-accent focus-visible:bg-accent ${
        isVertical
          ? 'w-px cursor-col-resize before:absolute before:inset-y-0 before:-inset-x-1'
          : 'h-px cursor-row-resize before:absolute before:inset-x-0 before:-inset-y-1'
      }`}
    />
  )
}
