// An agent of launchd, for the person who is logged in.
import { inHome } from '../../agents/environment.ts'
import { quote } from '../../model/paste.ts'
import { pathValue, program, textValue, words } from '../../model/program.ts'
import { escapeXml, MARK, requirePlain, type ServiceManager } from './service.ts'

const LABEL = 'rethread.archive'

export const launchd: ServiceManager = {
  title: 'launchd',
  command: 'launchctl',
  file: environment => inHome(environment, 'Library', 'LaunchAgents', `${LABEL}.plist`),
  logFile: environment => inHome(environment, 'Library', 'Logs', `${LABEL}.log`),
  text(service) {
    requirePlain(service)
    const { program: node, args, variables, logFile } = service
    const text = (value: string): string => `<string>${escapeXml(value)}</string>`
    return [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
      `<!-- ${MARK} -->`,
      '<plist version="1.0">',
      '<dict>',
      `  <key>Label</key>${text(LABEL)}`,
      '  <key>ProgramArguments</key>',
      '  <array>',
      ...[node, ...args].map(word => `    ${text(word)}`),
      '  </array>',
      '  <key>EnvironmentVariables</key>',
      '  <dict>',
      ...variables.map(([name, value]) => `    <key>${escapeXml(name)}</key>${text(value)}`),
      '  </dict>',
      '  <key>RunAtLoad</key><true/>',
      '  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>',
      '  <key>ThrottleInterval</key><integer>30</integer>',
      '  <key>ProcessType</key><string>Background</string>',
      '  <key>Umask</key><integer>63</integer>',
      `  <key>StandardOutPath</key>${text(logFile)}`,
      `  <key>StandardErrorPath</key>${text(logFile)}`,
      '</dict>',
      '</plist>',
      '',
    ].join('\n')
  },
  start: ({ uid, file }) => [
    program('launchctl', words('bootstrap', textValue(`gui/${uid}`), pathValue(file))),
    program('launchctl', words('kickstart', textValue(`gui/${uid}/${LABEL}`))),
  ],
  stop: ({ uid }) => [program('launchctl', words('bootout', textValue(`gui/${uid}/${LABEL}`)))],
  query: ({ uid }) => program('launchctl', words('print', textValue(`gui/${uid}/${LABEL}`))),
  running: /^\s*state = running$/m,
  log: ({ logFile }) => `tail -f ${quote(logFile)}`,
}
