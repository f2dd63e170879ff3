// A small button that copies a text and confirms it for a moment.
import type { ReactNode } from 'react'
import { useEffect, useState } from 'react'
import { IconCheck, IconCopy } from '../../common/icons.tsx'

const COPIED_MS = 1500

interface Props {
  label: string
  textOf: (button: HTMLButtonElement) => string
  className?: string
  icon?: ReactNode
}

export function CopyButton({ label, textOf, className = '', icon = <IconCopy size={14} /> }: Props) {
  const [said, setSaid] = useState('')
  useEffect(() => {
    if (said === '') return
    const timer = setTimeout(() => setSaid(''), COPIED_MS)
    return () => clearTimeout(timer)
  }, [said])
  const copy = (button: HTMLButtonElement) =>
    // Missing if the page comes from another machine without TLS.
    void (navigator.clipboard?.writeText(textOf(button)) ?? Promise.reject(new Error('no clipboard'))).then(
      () => setSaid('Copied'),
      () => setSaid('This browser does not allow copying from the page.'),
    )
  return (
    <button
      type="button"
      onClick={event => copy(event.currentTarget)}
      aria-label={label}
      title={said === '' ? label : said}
      className={`inline-flex h-6 w-6 shrink-0 items-center justify-center rounded text-quiet hover:bg-hover hover:text-strong ${className}`}
    >
      {said === 'Copied' ? <IconCheck size={14} className="text-healthy" /> : icon}
      <span role="status" className="sr-only">
        {said}
      </span>
    </button>
  )
}
