/** What a client does on every runtime: the cases of `@pointsman/node`, and the errors that calls end with. */
import { assert, describe, it } from "vitest"
import { errorCases, type MerchantCalls, merchantSuite } from "../../../node/test/support/MerchantCases.ts"
import { type Client, isPointsmanError, type PointsmanError } from "../../src/index.ts"

/** What a call failed with; fails where it did not, or with something else than an error of the client. */
export const failureOf = async (call: Promise<unknown>): Promise<PointsmanError> => {
  try {
    await call
  } catch (error) {
    if (isPointsmanError(error)) return error
    throw error
  }
  throw new Error("expected a failure")
}

const merchant = (client: Client): MerchantCalls => ({
  ...client,
  payments: (query) => client.payments(query).page(),
  timeline: (id) => client.timeline(id).page(),
  events: (query) => client.events(query).page()
})

export const clientCases = (name: string, open: () => Client): void => {
  merchantSuite(name, async () => merchant(open()))

  describe("errors", () => {
    for (const [what, call, code, moneyMayHaveMoved] of errorCases) {
      it(`${what} fails with ${code}`, async () => {
        const failure = await failureOf(call(merchant(open())))
        assert.deepStrictEqual([failure.name, failure.code], ["PointsmanError", code])
        assert.strictEqual(failure.moneyMayHaveMoved, moneyMayHaveMoved)
        assert.notStrictEqual(failure.message, "")
      })
    }
  })
}
