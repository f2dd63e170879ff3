// Changes of files, line by line, with a sign and a colour for removed and added lines.
import { cleanLine, cleanText } from '../../common/clean.ts'
import { FOLDED_LINES } from './fold-lines.ts'
import { FoldedBox } from './folded-box.tsx'
import type { DiffLine } from './line-diff.ts'
import type { FileDiff } from './patches.ts'

const MAX_LINES = 2000
const MAX_LINE_CHARS = 2000
const SIGNS = { same: ' ', removed: '-', added: '+', gap: '⋯' } as const
const LOOKS = {
  same: '',
  removed: 'bg-lost-soft text-strong',
  added: 'bg-healthy-soft text-strong',
  gap: 'text-quiet',
} as const
const SIGN_LOOKS = { same: '', removed: 'text-lost', added: 'text-healthy', gap: '' } as const
const SAID = { same: '', removed: 'removed: ', added: 'added: ', gap: '' } as const
const VERBS = { edit: '', write: 'written', delete: 'deleted', move: 'moved' } as const

export function DiffView({ files, name }: { files: readonly FileDiff[]; name: string }) {
  return (
    <div className="flex flex-col gap-2">
      {files.map((file, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one file may be changed twice
        <FileChange key={at} file={file} name={`${name} ${at}`} isNamed={files.length > 1} />
      ))}
    </div>
  )
}

/** The name of a single file is in the head of its card. */
function FileChange({ file, name, isNamed }: { file: FileDiff; name: string; isNamed: boolean }) {
  const addedCount = file.lines.filter(({ kind }) => kind === 'added').length
  const removedCount = file.lines.filter(({ kind }) => kind === 'removed').length
  const more =
    file.lines.length > FOLDED_LINES ? `Show all ${file.lines.length.toLocaleString('en-GB')} lines` : undefined
  return (
    <div>
      <p className="mb-1 flex flex-wrap items-baseline gap-x-2 text-xs">
        {isNamed && (
          <span className="font-mono text-strong [overflow-wrap:anywhere]">
            {cleanLine(file.path)}
            {file.movedTo !== undefined && ` → ${cleanLine(file.movedTo)}`}
          </span>
        )}
        <span className="text-quiet">{VERBS[file.kind]}</span>
        {addedCount > 0 && <span className="font-mono text-healthy">+{addedCount}</span>}
        {removedCount > 0 && <span className="font-mono text-lost">−{removedCount}</span>}
      </p>
      {file.lines.length > 0 && (
        <FoldedBox name={name} label={`Changes of ${cleanLine(file.path)}`} more={more}>
          {isOpen => <Lines lines={file.lines.slice(0, isOpen ? MAX_LINES : FOLDED_LINES)} of={file.lines.length} />}
        </FoldedBox>
      )}
    </div>
  )
}

function Lines({ lines, of }: { lines: readonly DiffLine[]; of: number }) {
  return (
    <>
      {lines.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text have no other name
        <Line key={at} line={line} />
      ))}
      {lines.length === MAX_LINES && of > MAX_LINES && (
        <span className="block text-quiet">{(of - MAX_LINES).toLocaleString('en-GB')} more lines not shown</span>
      )}
    </>
  )
}

function Line({ line: { kind, text } }: { line: DiffLine }) {
  const isLong = text.length > MAX_LINE_CHARS
  return (
    <span className={`-mx-3 flex px-3 ${LOOKS[kind]}`}>
      <span aria-hidden="true" className={`w-4 shrink-0 select-none ${SIGN_LOOKS[kind]}`}>
        {SIGNS[kind]}
      </span>
      <span className="min-w-0">
        <span className="sr-only">{SAID[kind]}</span>
        {cleanText(isLong ? `${text.slice(0, MAX_LINE_CHARS)}…` : text) || '\u00a0'}
      </span>
    </span>
  )
}
