// A small native select, which works with every keyboard and on every phone.
import { cleanLine } from '../common/clean.ts'
import { IconChevronDown } from '../common/icons.tsx'

interface Props {
  label: string
  value: string
  options: readonly (readonly [value: string, words: string])[]
  onChange: (value: string) => void
  isQuiet?: boolean
}

export function Choice({ label, value, options, onChange, isQuiet = false }: Props) {
  const isSet = value !== '' && !isQuiet
  const look = isQuiet
    ? 'h-6 border-transparent bg-transparent text-quiet [field-sizing:content]'
    : `h-7 w-full ${isSet ? 'border-accent bg-accent-soft text-strong' : 'border-line bg-page text-normal'}`
  return (
    <span className="relative inline-flex min-w-0">
      <select
        aria-label={label}
        value={value}
        onChange={event => onChange(event.target.value)}
        className={`min-w-0 cursor-pointer appearance-none truncate rounded-md border pr-5 pl-2 text-xs hover:bg-hover ${look}`}
      >
        {options.map(([key, words]) => (
          <option key={key} value={key}>
            {cleanLine(words)}
          </option>
        ))}
      </select>
      <IconChevronDown
        size={10}
        className={`pointer-events-none absolute right-1.5 text-quiet ${isQuiet ? 'top-[7px]' : 'top-[9px]'}`}
      />
    </span>
  )
}
