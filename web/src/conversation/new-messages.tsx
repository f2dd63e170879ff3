// "3 new messages ↓": offered while the reader is further up, so that nothing scrolls without a request.
import { useEffect, useState } from 'react'
import { plural } from '../common/format.ts'
import { IconArrowDown } from '../common/icons.tsx'

interface Props {
  total: number
  isAtEnd: boolean
  /** The reading is not finished, so its messages do not count as new. */
  isReading: boolean
  toEnd: () => void
}

export function NewMessages({ total, isAtEnd, isReading, toEnd }: Props) {
  const [seen, setSeen] = useState(total)
  useEffect(() => {
    if (isAtEnd || isReading) setSeen(total)
  }, [isAtEnd, isReading, total])
  const count = isAtEnd ? 0 : Math.max(0, total - seen)
  const words = count === 0 ? '' : plural(count, 'new message')
  return (
    <>
      <span role="status" aria-live="polite" className="sr-only">
        {words}
      </span>
      {!isAtEnd && total > 0 && (
        <button
          type="button"
          onClick={toEnd}
          aria-label={count === 0 ? 'Go to the newest message' : `${words}, go there`}
          className={`absolute right-4 bottom-3 inline-flex h-8 items-center gap-1.5 rounded-full border px-3 font-medium text-sm ${
            count === 0
              ? 'border-line-strong bg-page text-normal hover:bg-hover'
              : 'border-transparent bg-accent text-on-accent'
          }`}
        >
          {words}
          <IconArrowDown size={14} />
        </button>
      )}
    </>
  )
}
