// Chooses the folder of a new conversation: a recently used one, or any other.
import { useId } from 'react'
import { cleanLine } from '../common/clean.ts'
import { IconFolder } from '../common/icons.tsx'
import { useShortPath } from '../common/server.ts'

/** Typing finds the others. */
const MOST_SHOWN = 5

interface Props {
  folders: readonly string[]
  value: string
  onChange: (folder: string) => void
  isWrong: boolean
}

export function FolderChoice({ folders, value, onChange, isWrong }: Props) {
  const id = useId()
  const shortPath = useShortPath()
  const words = value.trim().toLowerCase()
  const isKnown = folders.some(folder => isSame(folder, shortPath(folder), value))
  const fitting = isKnown || words === '' ? folders : folders.filter(folder => fits(folder, shortPath(folder), words))
  const wrong = faultIn(value)
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="font-medium text-sm text-strong">
        Folder
      </label>
      <input
        id={id}
        type="text"
        value={value}
        onChange={event => onChange(event.target.value)}
        required
        maxLength={4096}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        aria-invalid={isWrong || wrong !== ''}
        aria-describedby={`${id}-note`}
        placeholder="~/project"
        className="h-8 w-full rounded-md border border-line-strong bg-page px-2 font-mono text-sm text-strong aria-invalid:border-lost"
      />
      <p id={`${id}-note`} role="status" className="min-h-4 text-quiet text-xs">
        {wrong || 'The agent works in this folder and may read and write in it.'}
      </p>
      <ul aria-label="Recent folders" className="flex min-h-[140px] flex-col">
        {fitting.slice(0, MOST_SHOWN).map(folder => (
          <li key={folder}>
            <button
              type="button"
              aria-pressed={isSame(folder, shortPath(folder), value)}
              onClick={() => onChange(shortPath(folder))}
              className="flex h-7 w-full min-w-0 items-center gap-2 rounded-md px-2 text-left text-normal text-sm hover:bg-hover aria-pressed:bg-accent-soft aria-pressed:text-strong"
            >
              <IconFolder size={14} className="text-quiet" />
              <span className="min-w-0 truncate" title={cleanLine(folder)}>
                {shortPath(folder)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

function isSame(folder: string, shown: string, value: string): boolean {
  return value === folder || value === shown
}

function fits(folder: string, shown: string, words: string): boolean {
  return folder.toLowerCase().includes(words) || shown.toLowerCase().includes(words)
}

/** Problems that the page can find without the server. */
function faultIn(value: string): string {
  const isWhole = /^(~$|~[/\\]|\/|[a-z]:[/\\]|\\\\)/i.test(value.trim())
  return value.trim() === '' || isWhole ? '' : 'Enter an absolute path, or one from your home folder: ~/project'
}
