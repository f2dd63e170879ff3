// The line between two panes: drawn with the pointer, or moved with the arrow keys.
import type { KeyboardEvent, PointerEvent } from 'react'
import { useRef } from 'react'

interface Props {
  label: string
  /** Of the line itself. */
  orientation: 'vertical' | 'horizontal'
  /** Of the room before the line, from 0 to 1. */
  share: number
  onShare: (share: number) => void
  /** In percent, where it is said in other terms than the share. */
  value?: number
}

const STEP = 0.05

/** Its parent is the room that it divides. */
export function Divider({ label, orientation, share, onShare, value = share * 100 }: Props) {
  const line = useRef<HTMLDivElement>(null)
  const isVertical = orientation === 'vertical'
  const drag = (event: PointerEvent) => {
    const room = line.current?.parentElement?.getBoundingClientRect()
    if (room === undefined || !event.currentTarget.hasPointerCapture(event.pointerId)) return
    onShare(isVertical ? (event.clientX - room.left) / room.width : (event.clientY - room.top) / room.height)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const [less, more] = isVertical ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown']
    if (event.key !== less && event.key !== more) return
    event.preventDefault()
    onShare(share + (event.key === more ? STEP : -STEP))
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved
    <div
      ref={line}
      role="separator"
      aria-label={label}
      aria-orientation={orientation}
      aria-valuenow={Math.round(value)}
      aria-valuemin={0}
      aria-valuemax={100}
      tabIndex={0}
      data-divider
      onPointerDown={event => {
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerMove={drag}
      onKeyDown={onKeyDown}
      className={`relative z-10 shrink-0 touch-none bg-line hover:bg-accent focus-visible:bg-accent ${
        isVertical
          ? 'w-px cursor-col-resize before:absolute before:inset-y-0 before:-inset-x-1'
          : 'h-px cursor-row-resize before:absolute before:inset-x-0 before:-inset-y-1'
      }`}
    />
  )
}
