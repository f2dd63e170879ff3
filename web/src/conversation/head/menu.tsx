// A button that opens a short menu.
import type { ReactNode } from 'react'
import { useEffect, useId, useRef, useState } from 'react'
import { Button } from '../../common/button.tsx'
import { IconChevronDown } from '../../common/icons.tsx'

export interface MenuItem {
  key: string
  title: string
  note?: string
  isCurrent?: boolean
  icon?: ReactNode
  run: () => void
}

interface Props {
  label: string
  icon?: ReactNode
  /** The label is only the accessible name then. */
  isIconOnly?: boolean
  /** The button is at the right edge, so the menu opens to the left. */
  isAtEnd?: boolean
  items: readonly MenuItem[]
}

export function Menu({ label, icon, isIconOnly = false, isAtEnd = false, items }: Props) {
  const [isOpen, setIsOpen] = useState(false)
  const [isUp, setIsUp] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const id = useId()
  useEffect(() => {
    if (!isOpen) return
    box.current?.querySelector<HTMLElement>('li button')?.focus()
    const onDown = (event: PointerEvent) => {
      if (event.target instanceof Node && box.current?.contains(event.target) === false) setIsOpen(false)
    }
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      // Esc closes only the menu.
      event.stopImmediatePropagation()
      event.preventDefault()
      setIsOpen(false)
      box.current?.querySelector('button')?.focus()
    }
    document.addEventListener('pointerdown', onDown)
    window.addEventListener('keydown', onKey, { capture: true })
    return () => {
      document.removeEventListener('pointerdown', onDown)
      window.removeEventListener('keydown', onKey, { capture: true })
    }
  }, [isOpen])
  return (
    <div ref={box} className="relative">
      <Button
        variant="quiet"
        size="sm"
        icon={icon}
        aria-expanded={isOpen}
        aria-controls={id}
        aria-label={isIconOnly ? label : undefined}
        className={isAtEnd ? 'size-8 px-0 text-quiet' : isIconOnly ? '-my-1 h-6 px-1 text-quiet' : ''}
        onClick={({ currentTarget }) => {
          // Opens upwards if there is no room below.
          setIsUp(currentTarget.getBoundingClientRect().bottom > innerHeight / 2)
          setIsOpen(!isOpen)
        }}
      >
        {!isIconOnly && (
          <>
            {label}
            <IconChevronDown size={12} />
          </>
        )}
      </Button>
      {isOpen && (
        <ul
          id={id}
          className={`absolute z-30 ${isAtEnd ? 'right-0' : 'left-0'} ${isUp ? 'bottom-full mb-1' : 'top-full mt-1'} max-h-80 w-max min-w-48 max-w-[min(360px,80vw)] overflow-y-auto rounded-md border border-line-strong bg-page p-1`}
        >
          {items.map(item => (
            <li key={item.key}>
              <button
                type="button"
                aria-current={item.isCurrent}
                onClick={() => {
                  setIsOpen(false)
                  item.run()
                }}
                className="flex w-full flex-col rounded px-2 py-1.5 text-left text-sm hover:bg-hover aria-[current=true]:bg-accent-soft"
              >
                <span className="flex items-start gap-2 text-strong">
                  {item.icon !== undefined && <span className="mt-[3px] text-quiet">{item.icon}</span>}
                  <span className="line-clamp-2 min-w-0 [overflow-wrap:anywhere]">{item.title}</span>
                </span>
                {item.note !== undefined && <span className="text-quiet text-xs">{item.note}</span>}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
