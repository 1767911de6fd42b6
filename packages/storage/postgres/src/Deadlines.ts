/**
 * One timer for the deadlines of all loans: to set a timer and to clear it costs some microseconds, and nearly every loan
 * ends long before its deadline. The timer looks at all of them when the earliest that it was set for is due.
 */
export interface Deadline {
  /** By `performance.now()`. */
  at: number
  /** Called once, when that time has passed, unless the deadline was deleted before. */
  pass: () => void
}

export interface Deadlines {
  /** Also for a deadline that was added before and has another time now. */
  readonly add: (deadline: Deadline) => void
  readonly delete: (deadline: Deadline) => void
}

/** Where thousands wait, each look takes longer than the timer's own precision. So many milliseconds are between two. */
const pauseMillis = 10

export const makeDeadlines = (): Deadlines => {
  const open = new Set<Deadline>()
  let timer: NodeJS.Timeout | undefined
  /** When the timer looks next, by `performance.now()`. */
  let looksAt = Number.POSITIVE_INFINITY

  const lookAt = (at: number, now: number) => {
    clearTimeout(timer)
    looksAt = at
    timer = setTimeout(look, at - now)
  }
  const look = () => {
    looksAt = Number.POSITIVE_INFINITY
    const now = performance.now()
    let earliest = Number.POSITIVE_INFINITY
    const passed: Array<Deadline> = []
    for (const deadline of open) {
      if (deadline.at <= now) passed.push(deadline)
      else if (deadline.at < earliest) earliest = deadline.at
    }
    if (earliest < Number.POSITIVE_INFINITY) lookAt(Math.max(earliest, now + pauseMillis), now)
    for (const deadline of passed) if (open.delete(deadline)) deadline.pass()
  }
  return {
    add: (deadline) => {
      open.add(deadline)
      if (deadline.at < looksAt) lookAt(deadline.at, performance.now())
      // A process may end while the timer waits for nobody.
      else if (open.size === 1) timer?.ref()
    },
    delete: (deadline) => {
      if (open.delete(deadline) && open.size === 0) timer?.unref()
    }
  }
}
