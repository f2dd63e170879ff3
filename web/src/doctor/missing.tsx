// "Missing from its agent": conversations that are on the disk and that their agents do not list. On the home
// view as a section, above the list as a group that opens.
import { useEffect, useState } from 'react'
import type { DoctorAnswer } from '../../../src/server/protocol.ts'
import { Button } from '../common/button.tsx'
import { formatCount, plural } from '../common/format.ts'
import { IconChevronRight, IconWarning } from '../common/icons.tsx'
import { ErrorState } from '../common/states.tsx'
import { HomeSection, Nothing } from '../home/section.tsx'
import { useStore } from '../state/store.ts'
import { DoneLine, MissingLine, MovedLine } from './lines.tsx'
import { doctor, fixesDone, followDoctor, loadDoctor, relink, working } from './report.ts'

const SHOWN = 6
const TITLE = 'Missing from its agent'

export function MissingSection() {
  const { answer, failure } = useStore(doctor)
  const done = useStore(fixesDone)
  const count = answer === null ? 0 : countOf(answer)
  return (
    <HomeSection title={TITLE} aside={answer !== null && <RelinkAll answer={answer} />}>
      {answer !== null && count + done.length > 0 ? (
        <Lines answer={answer} />
      ) : failure !== null ? (
        <ErrorState failure={failure} again={() => void loadDoctor()} />
      ) : (
        <Nothing>
          {answer === null
            ? 'Comparing the disk with the lists of the agents.'
            : 'Every agent lists all of its conversations.'}
        </Nothing>
      )}
    </HomeSection>
  )
}

/** Also keeps the report up to date: it is always on the page. */
export function MissingGroup() {
  const { answer } = useStore(doctor)
  const done = useStore(fixesDone)
  useEffect(() => followDoctor(), [])
  if (answer === null) return null
  const count = countOf(answer)
  if (count + done.length === 0) return null
  return (
    <details className="group shrink-0 border-line border-b bg-damaged-soft text-sm">
      <summary className="flex list-none items-center gap-2 px-3.5 py-2 text-strong">
        <IconWarning size={14} className="text-damaged" />
        {TITLE}
        <span className="text-quiet tabular-nums">{formatCount(count)}</span>
        <IconChevronRight size={12} className="ml-auto text-quiet transition-transform group-open:rotate-90" />
      </summary>
      <div className="max-h-80 overflow-y-auto border-line border-t bg-raised px-3.5">
        <Lines answer={answer} />
      </div>
    </details>
  )
}

function Lines({ answer }: { answer: DoctorAnswer }) {
  const [isAll, setIsAll] = useState(false)
  const done = useStore(fixesDone)
  const shown = isAll ? answer.missing : answer.missing.slice(0, SHOWN)
  const folded = answer.missing.length - shown.length
  return (
    <>
      <ul className="divide-y divide-line">
        {done.map(fix => (
          <DoneLine key={fix.id} fix={fix} />
        ))}
        {answer.moved.map(folder => (
          <MovedLine key={folder.id} folder={folder} />
        ))}
        {shown.map(session => (
          <MissingLine key={`${session.agent} ${session.sessionId}`} session={session} />
        ))}
      </ul>
      {folded > 0 && (
        <button
          type="button"
          onClick={() => setIsAll(true)}
          className="rounded pb-2 text-accent text-sm hover:underline"
        >
          Show {formatCount(folded)} more
        </button>
      )}
    </>
  )
}

/** A lost index hides many conversations at once. */
function RelinkAll({ answer: { missing } }: { answer: DoctorAnswer }) {
  const isWorking = useStore(working).size > 0
  const fixable = missing.filter(({ isFixable, key }) => isFixable && key !== undefined)
  if (fixable.length < 2) return null
  const run = () => void relink(fixable, `${plural(fixable.length, 'conversation')} listed again.`)
  return (
    <Button size="sm" disabled={isWorking} onClick={run}>
      Relink all {formatCount(fixable.length)}
    </Button>
  )
}

function countOf({ missing, moved }: DoctorAnswer): number {
  const inMoved = moved.reduce((sum, { counts }) => sum + Object.values(counts).reduce((a, b) => a + b, 0), 0)
  return missing.length + inMoved
}
