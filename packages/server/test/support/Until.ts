/** Waits for what a test expects, instead of sleeping for as long as it may take. */
import { setTimeout as sleep } from "node:timers/promises"

/** Longer than anything takes here on a busy machine, and shorter than a test may take. */
const patienceMillis = 120_000

/** Asks until the answer is so, and gives it; fails with what was waited for, which may say how far it came. */
export const untilAnswer = async <Answer>(
  what: string | (() => string),
  ask: () => Answer | Promise<Answer>,
  isSo: (answer: Answer) => boolean
): Promise<Answer> => {
  const deadline = AbortSignal.timeout(patienceMillis)
  for (;;) {
    const answer = await ask()
    if (isSo(answer)) return answer
    if (deadline.aborted) throw new Error(`waited in vain: ${typeof what === "string" ? what : what()}`)
    await sleep(10)
  }
}

export const until = async (what: string | (() => string), isSo: () => boolean | Promise<boolean>): Promise<void> =>
  void (await untilAnswer(what, isSo, Boolean))
