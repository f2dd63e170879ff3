// A task of the Windows task scheduler that starts when the person logs on.
import { joinIn, localApplicationData } from '../../agents/environment.ts'
import { pathValue, program, words } from '../../model/program.ts'
import { cannotHold, escapeXml, MARK, requirePlain, type ServiceManager } from './service.ts'

const TASK = 'rethread archive'
const STATE = "(Get-ScheduledTask -TaskName 'rethread archive').State.ToString()"
/** Runs a console program without a window. */
const HEADLESS = '%SystemRoot%\\System32\\conhost.exe'

export const scheduledTask: ServiceManager = {
  title: 'the Windows task scheduler',
  command: 'schtasks',
  file: environment => joinIn(environment, localApplicationData(environment), 'rethread', 'rethread-archive.xml'),
  logFile: () => '',
  encoding: 'utf16',
  text(service) {
    requirePlain(service)
    const line = ['--headless', ...[service.program, ...service.args].map(quoteArgument)].join(' ')
    // The scheduler replaces %NAME% and $(NAME), and has no way to write them.
    if (/%.*%|\$\(/.test(line)) throw cannotHold(line, '%…% or $(…)')
    return [
      '<?xml version="1.0" encoding="UTF-16"?>',
      '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
      `  <RegistrationInfo><Description>${escapeXml(MARK)}</Description></RegistrationInfo>`,
      '  <Triggers>',
      `    <LogonTrigger><UserId>${escapeXml(service.user)}</UserId></LogonTrigger>`,
      '  </Triggers>',
      '  <Principals>',
      '    <Principal id="Author">',
      `      <UserId>${escapeXml(service.user)}</UserId>`,
      '      <LogonType>InteractiveToken</LogonType>',
      '      <RunLevel>LeastPrivilege</RunLevel>',
      '    </Principal>',
      '  </Principals>',
      '  <Settings>',
      '    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>',
      '    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>',
      '    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>',
      '    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>',
      '    <Priority>8</Priority>',
      '    <RestartOnFailure><Interval>PT1M</Interval><Count>255</Count></RestartOnFailure>',
      '  </Settings>',
      '  <Actions Context="Author">',
      `    <Exec><Command>${HEADLESS}</Command><Arguments>${escapeXml(line)}</Arguments></Exec>`,
      '  </Actions>',
      '</Task>',
      '',
    ].join('\r\n')
  },
  start: ({ file }) => [
    program('schtasks', words('/Create', '/F', '/TN', TASK, '/XML', pathValue(file))),
    program('schtasks', words('/Run', '/TN', TASK)),
  ],
  stop: () => [
    program('schtasks', words('/End', '/TN', TASK)),
    program('schtasks', words('/Delete', '/F', '/TN', TASK)),
  ],
  query: () => program('powershell', words('-NoProfile', '-NonInteractive', '-Command', STATE)),
  running: /^Running/m,
  log: () => 'rethread archive status',
}

/** As the C runtime of Windows splits a command line: backslashes count double before a quote. */
function quoteArgument(text: string): string {
  return `"${text.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`
}
