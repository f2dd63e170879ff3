// An events file that cannot be loaded: where it is broken, and what the user can do.
import { useState } from 'react'
import type { EventsQuestion, SanitizeDecisions } from '../../../src/server/protocol.ts'
import { Button } from '../common/button.tsx'
import { cleanLine, cleanText } from '../common/clean.ts'
import { CopyCommand } from '../common/copy-command.tsx'
import { formatCount, plural } from '../common/format.ts'
import { CodeBox } from './code-box.tsx'
import { EventsEditor } from './events-editor.tsx'
import { SuggestionDialog } from './suggestion-dialog.tsx'
import { TrashDialog } from './trash-dialog.tsx'

interface Props {
  sessionKey: string
  question: EventsQuestion
  isWorking: boolean
  /** Another field of the form is invalid. */
  isHeldUp: boolean
  decide: (decision: NonNullable<SanitizeDecisions['events']>) => void
}

/** The question as the user saw it. If the file changes meanwhile, the server refuses the decision. */
interface Opened {
  what: 'editor' | 'suggestion' | 'trash'
  question: EventsQuestion
}

export function EventsCard({ sessionKey, question, isWorking, isHeldUp, decide }: Props) {
  const isOff = isWorking || isHeldUp
  const [opened, setOpened] = useState<Opened | null>(null)
  const { content, suggestion } = question
  const open = (what: Opened['what']) => setOpened({ what, question })
  return (
    <section aria-label="Events" className="flex min-w-0 flex-col gap-3 rounded-md border border-line bg-raised p-3">
      <Damage question={question} />
      <div className="flex flex-wrap gap-2">
        {question.size > 0 && (
          <Button
            size="sm"
            variant={suggestion === null ? 'primary' : 'plain'}
            disabled={isOff || content === null}
            onClick={() => open('editor')}
          >
            Edit…
          </Button>
        )}
        {suggestion !== null && (
          <Button size="sm" variant="primary" disabled={isOff} onClick={() => open('suggestion')}>
            Apply the suggested fix…
          </Button>
        )}
        <Button size="sm" disabled={isOff} onClick={() => decide({ type: 'leave' })}>
          Keep as is
        </Button>
        <Button size="sm" disabled={isWorking} onClick={() => open('trash')}>
          Trash…
        </Button>
      </div>
      <p className="text-quiet text-xs">
        Each choice also repairs the other damage, except moving to the trash. Damaged files are kept.
      </p>
      {opened !== null && <Decision {...{ sessionKey, decide }} {...opened} onClose={() => setOpened(null)} />}
    </section>
  )
}

type DecisionProps = Opened & Pick<Props, 'sessionKey' | 'decide'> & { onClose: () => void }

function Decision({ what, question, sessionKey, decide, onClose }: DecisionProps) {
  const { mark, content, suggestion } = question
  if (what === 'trash') return <TrashDialog {...{ onClose }} confirm={() => decide({ type: 'trash', mark })} />
  if (what === 'editor' && content !== null) {
    const save = (text: string) => decide({ type: 'replace', mark, content: text })
    return <EventsEditor {...{ sessionKey, question, content, onClose, save }} />
  }
  return suggestion === null ? null : (
    <SuggestionDialog {...{ suggestion, onClose }} confirm={() => decide({ type: 'suggestion', mark })} />
  )
}

function Damage({ question }: { question: EventsQuestion }) {
  const { text, line, column, excerpt, elements, moreElements, notEditable, suggestion, file } = question
  return (
    <>
      <div className="flex flex-col gap-1">
        <h4 className="font-medium text-sm text-strong [overflow-wrap:anywhere]">
          {question.size === 0 ? cleanLine(file) : cleanText(text)}
        </h4>
        {question.size > 0 && !/\bline \d+/.test(text) && (
          <p className="text-quiet text-xs">
            {cleanLine(file)}, line {formatCount(line)}, column {formatCount(column)}
          </p>
        )}
      </div>
      {excerpt !== '' && <CodeBox label="The surrounding lines" text={excerpt} />}
      {elements.length > 1 && (
        <ul className="flex list-disc flex-col gap-1 pl-4 text-normal text-sm">
          {elements.map(element => (
            <li key={`${element.index} ${element.text}`} className="[overflow-wrap:anywhere]">
              {cleanText(element.text)}
            </li>
          ))}
          {moreElements > 0 && <li>{plural(moreElements, 'further event')}</li>}
        </ul>
      )}
      {suggestion !== null && (
        <p className="text-normal text-sm [overflow-wrap:anywhere]">Suggested: {cleanText(suggestion.text)}</p>
      )}
      {question.size === 0 && <Nothing path={question.path} />}
      {notEditable !== null && question.size > 0 && (
        <p className="text-normal text-sm">It cannot be edited here. {cleanText(notEditable)}</p>
      )}
    </>
  )
}

/** The file is missing or empty. Only the user may have a copy. */
function Nothing({ path }: { path: string }) {
  return (
    <div className="flex flex-col items-start gap-1.5 text-normal text-sm">
      <p>
        The messages of this conversation were in this file, which is missing or empty. If you have a copy, in a backup
        or on another machine, put it there, then check again:
      </p>
      <CopyCommand command={cleanLine(path)} label="Copy path" />
    </div>
  )
}
