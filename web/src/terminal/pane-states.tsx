// What a pane shows besides its program: what it waits for, why nothing was started, how it ended, and a
// notice.
import type { TerminalInfo } from '../../../src/server/protocol.ts'
import { Button } from '../common/button.tsx'
import { cleanText } from '../common/clean.ts'
import { IconButton } from '../common/icon-button.tsx'
import { IconCheck, IconClose, IconInfo, IconPlay, IconWarning } from '../common/icons.tsx'
import { ErrorState } from '../common/states.tsx'
import { useLong } from '../common/use-long.ts'
import { connection } from '../state/socket.ts'
import { useStore } from '../state/store.ts'
import type { Pane } from './dock.ts'
import { changePane } from './dock.ts'
import { exitWords } from './exit-words.ts'
import { removePane, startAgain } from './pane-actions.ts'
import type { ResumeChoice } from './requests.ts'
import { choose } from './requests.ts'

const CHOICES: Record<ResumeChoice, string> = {
  wait: 'Wait',
  'without-repair': 'Start without repair',
  cancel: 'Cancel',
}

/** Covers the empty terminal before a program runs. */
export function PaneOverlay({ pane }: { pane: Pane }) {
  const { phase } = pane
  if (phase.type === 'failed')
    return (
      <Cover>
        <ErrorState
          failure={{ code: phase.code, message: phase.text, hint: phase.hint }}
          again={() => startAgain(pane.id)}
        />
        {phase.offers?.includes('make-folder') === true && (
          <Button size="sm" variant="primary" onClick={() => startAgain(pane.id, { makeFolder: true })}>
            Create the folder and resume
          </Button>
        )}
        {pane.wanted.session === undefined && pane.wanted.cwd !== undefined && (
          <Button size="sm" onClick={() => startAgain(pane.id, { cwd: undefined })}>
            Start in the home folder
          </Button>
        )}
      </Cover>
    )
  if (phase.type !== 'waiting' && phase.type !== 'asking') return null
  return (
    <Cover>
      <Waiting pane={pane} />
    </Cover>
  )
}

function Waiting({ pane }: { pane: Pane }) {
  const { phase, wanted } = pane
  const isLost = useStore(connection).state !== 'ready'
  const words = isLost
    ? 'Not connected to rethread. It starts once the connection is back.'
    : phase.type === 'waiting'
      ? cleanText(phase.text)
      : wanted.session === undefined
        ? 'Starting…'
        : 'Checking the conversation…'
  const choices = phase.type === 'waiting' ? phase.choices.filter(isChoice) : []
  // A countdown changes each second and must not be read aloud each time.
  const isCountdown = phase.type === 'waiting' && phase.secondsLeft !== undefined
  return (
    <>
      <p role={isCountdown ? 'timer' : 'status'} className="max-w-md text-balance text-center text-base text-normal">
        {words}
      </p>
      {choices.length > 0 && (
        <div className="flex flex-wrap justify-center gap-2">
          {choices.map(choice => (
            <Button
              key={choice}
              variant={choice === 'wait' ? 'primary' : choice === 'cancel' ? 'quiet' : 'plain'}
              onClick={() => (choice === 'cancel' ? removePane(pane.id, true) : choose(pane.id, choice))}
            >
              {CHOICES[choice]}
            </Button>
          ))}
        </div>
      )}
    </>
  )
}

function isChoice(choice: string): choice is ResumeChoice {
  return choice in CHOICES
}

function Cover({ children }: { children: React.ReactNode }) {
  return (
    <div className="absolute inset-0 z-10 flex flex-col items-center justify-center gap-4 overflow-y-auto bg-raised p-4">
      {children}
    </div>
  )
}

/** Below the last screen: the program has ended, the terminal is gone, or the connection is lost. */
export function PaneEnd({ pane, terminal }: { pane: Pane; terminal: TerminalInfo | undefined }) {
  const isLost = useLong(useStore(connection).state !== 'ready')
  const isGone = pane.phase.type === 'gone'
  const exit = pane.phase.type === 'open' ? terminal?.exit : undefined
  if (!isGone && exit == null && !isLost) return null
  if (pane.phase.type !== 'open' && !isGone) return null
  const words = isGone
    ? 'This terminal no longer exists: it was closed, or rethread was restarted.'
    : exit != null
      ? `The program ${exitWords(exit)}.`
      : 'Not connected. What you type is not sent.'
  return (
    <div
      role="status"
      className="flex min-h-9 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-line border-t bg-page px-3 py-1 text-sm"
    >
      <span className="min-w-0 flex-1 text-normal">{words}</span>
      {(isGone || exit != null) && (
        <Button size="sm" icon={<IconPlay size={14} />} onClick={() => startAgain(pane.id)}>
          {pane.wanted.session === undefined ? 'Start again' : 'Resume again'}
        </Button>
      )}
    </div>
  )
}

/** One line. For a session that was not resumed there is also a toast. */
export function PaneNotice({ pane }: { pane: Pane }) {
  const { notice } = pane
  if (notice === null) return null
  const isGood = notice.kind === 'repaired'
  const Icon = isGood ? IconCheck : notice.kind === 'not-resumed' ? IconWarning : IconInfo
  return (
    <div
      role="status"
      className="flex min-h-7 shrink-0 items-center gap-2 border-line border-b bg-page pl-3 text-quiet text-sm"
    >
      <Icon size={14} className={isGood ? 'text-healthy' : 'text-damaged'} />
      <span title={cleanText(notice.text)} className="line-clamp-2 min-w-0 flex-1 [overflow-wrap:anywhere]">
        {cleanText(notice.text)}
      </span>
      <IconButton size="sm" label="Dismiss" onClick={() => changePane(pane.id, { notice: null })}>
        <IconClose size={14} />
      </IconButton>
    </div>
  )
}
