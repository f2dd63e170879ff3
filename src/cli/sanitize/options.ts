// The options of every command that may have to ask. Apart from what they do, so that the help stays fast.

export const DECIDING_OPTIONS = [
  {
    flags: '--non-interactive',
    description: 'ask nothing: mend what can be mended without you, by the rules of sanitize',
  },
  { flags: '--salvage', description: 'where nobody is asked, keep the readable beginning of a damaged file of events' },
  { flags: '--force', description: 'also if much would go to the trash at once' },
  { flags: '--editor <cmd>', description: 'the editor for damaged files, such as "code --wait"' },
]
