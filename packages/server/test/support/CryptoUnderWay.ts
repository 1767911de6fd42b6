/** How much cryptography this process waits for: WebCrypto leaves the thread, and nothing else shows it. */
import { createHook } from "node:async_hooks"
import { onTestFinished } from "vitest"

/** As Node names those that are never done on the thread itself: sealing, opening, hashing and signing by WebCrypto. */
const jobs: ReadonlySet<string> = new Set(["CIPHERREQUEST", "HASHREQUEST", "SIGNREQUEST"])

/** Counts the jobs that begin from now on and are not done, until the test is over. */
export const watchCrypto = (): (() => number) => {
  const underWay = new Map<number, object>()
  const hook = createHook({
    init: (id, type, _trigger, job) => {
      if (jobs.has(type)) underWay.set(id, job)
    },
    // Its result comes in.
    before: (id) => {
      underWay.delete(id)
    }
  }).enable()
  onTestFinished(() => {
    hook.disable()
  })
  return () => {
    // One without a callback was done on the thread, by `verify` of `node:crypto` for example, and nothing else shows it.
    for (const [id, job] of underWay) if (!("ondone" in job)) underWay.delete(id)
    return underWay.size
  }
}
