// A user unit of systemd.
import { configFolder, joinIn } from '../../agents/environment.ts'
import { program, words } from '../../model/program.ts'
import { MARK, requirePlain, type ServiceManager } from './service.ts'

const UNIT = 'rethread-archive.service'
/** systemd refuses these in the path of the program, however they are quoted. */
const REFUSED_IN_PROGRAM = /["'\\$]/

const RELOAD = program('systemctl', words('--user', 'daemon-reload'))

export const systemd: ServiceManager = {
  title: 'systemd',
  command: 'systemctl',
  file: environment => joinIn(environment, configFolder(environment), 'systemd', 'user', UNIT),
  logFile: () => '',
  text(service) {
    requirePlain(service)
    const { program: node, args, variables } = service
    // A constant script that starts the words after it, for a path that systemd does not take as a program.
    const before = REFUSED_IN_PROGRAM.test(node) ? `/bin/sh -c 'exec "$$0" "$$@"' ` : ''
    return [
      `# ${MARK}`,
      '[Unit]',
      'Description=Archive of the sessions of AI coding agents (rethread)',
      '',
      '[Service]',
      `ExecStart=${before}${[node, ...args].map(quoteArgument).join(' ')}`,
      ...variables.map(([name, value]) => `Environment=${quoteValue(`${name}=${value}`)}`),
      'Restart=on-failure',
      'RestartSec=30',
      'Nice=10',
      'UMask=0077',
      'NoNewPrivileges=true',
      '',
      '[Install]',
      'WantedBy=default.target',
      '',
    ].join('\n')
  },
  start: () => [
    RELOAD,
    program('systemctl', words('--user', 'enable', UNIT)),
    program('systemctl', words('--user', 'restart', UNIT)),
  ],
  stop: () => [program('systemctl', words('--user', 'disable', '--now', UNIT))],
  forget: RELOAD,
  query: () => program('systemctl', words('--user', 'is-active', UNIT)),
  running: /^active/m,
  log: () => `journalctl --user --unit ${UNIT}`,
}

/** Quotes and backslashes as in C; `%` begins a specifier. */
function quoteValue(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&').replaceAll('%', '%%')}"`
}

/** In a command line, `$` begins a variable as well. */
function quoteArgument(text: string): string {
  return quoteValue(text).replaceAll('$', () => '$$')
}
