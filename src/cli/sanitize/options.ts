// The options of every command that may have to ask. Apart from what they do, so that the help stays fast.

export const DECIDING_OPTIONS = [
  {
    flags: '--non-interactive',
    description: 'Ask nothing: repair what can be repaired without you',
  },
  { flags: '--salvage', description: 'If nothing is asked, keep the readable start of a damaged events file' },
  { flags: '--force', description: 'Continue even if many conversations would go to the trash' },
  { flags: '--editor <cmd>', description: 'Set the editor for damaged files, such as "code --wait"' },
]
