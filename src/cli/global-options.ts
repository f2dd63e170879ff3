// The options that every command takes, before it or after it.
export const GLOBAL_OPTIONS: [string, string][] = [
  ['--home <dir>', 'Find sessions only below this home folder, and ignore variables that move a store'],
  ['--state <dir>', "Set rethread's own folder (or RETHREAD_STATE_DIR)"],
  ['--journal <file>', 'Set the journal of conversations over ACP (or RETHREAD_JOURNAL)'],
  ['--json', 'Print one JSON document on stdout, and nothing else'],
  ['--log-level <level>', 'Set the log level: error, warn, info, debug'],
]
