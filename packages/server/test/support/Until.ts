/** Waits for what a test expects, instead of sleeping for as long as it may take. */
import { setTimeout as sleep } from "node:timers/promises"

/** Longer than anything takes here on a busy machine, and shorter than a test may take. */
const patienceMillis = 120_000

/** Asks until it is so; fails with what was waited for, which may say how far it came. */
export const until = async (what: string | (() => string), isSo: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = AbortSignal.timeout(patienceMillis)
  while (!(await isSo())) {
    if (deadline.aborted) throw new Error(`waited in vain: ${typeof what === "string" ? what : what()}`)
    await sleep(10)
  }
}
