// The help overlay: every shortcut that works at the moment.
import { Key } from '../common/button.tsx'
import { Dialog } from '../common/dialog.tsx'
import { keyName, shortcuts } from '../keyboard.ts'
import { useStore } from '../state/store.ts'
import { gather } from './help-lines.ts'
import { closeOverlay } from './overlay.ts'

export function Help() {
  const lines = gather(useStore(shortcuts))
  return (
    <Dialog title="Keyboard" onClose={closeOverlay}>
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-2">
        {lines.map(({ label, keys }) => (
          <div key={label} className="contents">
            <dt className="flex gap-1.5">
              {keys.map(key => (
                <span key={key} className="flex gap-0.5">
                  <span className="sr-only">{key}</span>
                  {key.split(' ').map(part => (
                    <Key key={part} of={keyName(part)} />
                  ))}
                </span>
              ))}
            </dt>
            <dd className="text-base text-normal">{label}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
