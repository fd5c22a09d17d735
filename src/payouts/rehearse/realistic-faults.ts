// Faults of a service on a bad day: every kind that is shorter than a run. Slow ones are rare.

export const realisticFaults = [
  {method: 'POST', path: '/transactions', kind: 'lose', probability: 0.06},
  {method: 'POST', path: '/transactions', kind: 'truncate', probability: 0.04},
  {method: 'POST', path: '/transactions', kind: 'garbage', probability: 0.04},
  {method: 'POST', path: '/transactions', kind: 'reset', probability: 0.04},
  {method: 'POST', path: '/transactions', kind: 'html', probability: 0.03},
  {method: 'POST', path: '/transactions', kind: 'status', status: 503, probability: 0.03},
  {method: 'POST', path: '/transactions', kind: 'status', status: 429, probability: 0.02},
  {method: 'POST', path: '/transactions', kind: 'delay', delayMs: 120, probability: 0.4},
  {method: 'POST', path: '/quotes', kind: 'lose', probability: 0.03},
  {method: 'POST', path: '/quotes', kind: 'status', status: 502, probability: 0.03},
  {method: 'POST', path: '/quotes', kind: 'delay', delayMs: 60, probability: 0.4},
  {method: 'GET', path: '/transactions', kind: 'reset', probability: 0.05},
  {method: 'GET', path: '/transactions', kind: 'status', status: 500, probability: 0.05},
] as const
