// What a person who waits in a terminal is told first. The sandbox's clock runs at the speed of any clock, so what takes a day in
// it takes a day here, unless it is moved.
const sandboxNotice = 'In the sandbox, `svc sandbox clock until-idle` in another terminal moves time.'

export const describeWaiting = (isSandbox: boolean | undefined, action: 'watching' | 'waiting'): string =>
  `It may take long. Ctrl-C stops only the ${action}.${isSandbox ? ` ${sandboxNotice}` : ''}`
