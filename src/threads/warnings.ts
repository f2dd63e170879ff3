// Warnings of Node that a person cannot do anything about.

/** Node 22 warns that its SQLite is experimental, in each thread that loads it. */
export function silenceSqliteWarning(): void {
  const listeners = process.listeners('warning')
  process.removeAllListeners('warning')
  process.on('warning', warning => {
    if (warning.name === 'ExperimentalWarning' && warning.message.includes('SQLite')) return
    for (const listener of listeners) listener(warning)
  })
}
