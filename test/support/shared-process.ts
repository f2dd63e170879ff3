// Test files that share a process: each begins with the variables and in the folder that the process itself began with.
// A module is loaded once for all of them, and so are these.
const variables = { ...process.env }
const folder = process.cwd()

export function beginAgain(): void {
  for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name]
  Object.assign(process.env, variables)
  if (process.cwd() !== folder) process.chdir(folder)
}
