/** What Adyen's webhooks state of a dispute besides its verdict, and what they do not. */

import { assert, describe } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import { Effect, Redacted } from "effect"
import { hmacKey, type Item } from "./Adyen.ts"
import { attemptId, connect, providerRef } from "./Requests.ts"
import { signed } from "./Signer.ts"

const charged: Item = {
  pspReference: "QFQTPCQ8HXSKGK82",
  originalReference: providerRef,
  merchantReference: `${attemptId}.held`,
  amount: { value: 600, currency: "EUR" },
  eventCode: "NOTIFICATION_OF_CHARGEBACK",
  success: "true"
}

/** As it is read when it comes, and again from what is stored of it. */
const read = Effect.fnUntraced(function* (additionalData: Readonly<Record<string, unknown>>) {
  const { connector } = connect([])
  const { body, headers } = signed({ ...charged, additionalData } as Item)
  const secret = Redacted.make(hmacKey)
  const { about } = yield* connector.readMessage?.({ body, headers, secret, receivedAt: 0 }) ??
    Effect.die("no messages")
  const kept = Buffer.from(connector.keptOfMessage?.(new TextDecoder().decode(body)) ?? "")
  const again = yield* connector.readStored?.({ body: kept, secret }) ?? Effect.die("no stored messages")
  assert.deepStrictEqual(again.about, about)
  return about
})

const stated = {
  ...{ _tag: "Dispute", charge: { attemptId }, disputeId: "QFQTPCQ8HXSKGK82", verdict: "opened" },
  money: { minorUnits: 600, currency: "EUR" }
}

describe("a dispute", () => {
  itRuns("a dispute's reason and deadline are stated with its amount", function* () {
    const about = yield* read({ chargebackReasonCode: "10.4", defensePeriodEndsAt: "2026-12-18T10:15:30+01:00" })
    assert.deepStrictEqual<unknown>(about, {
      ...stated,
      ...{ providerReason: "10.4", dueBy: Date.UTC(2026, 11, 18, 9, 15, 30) }
    })
  })

  for (const additionalData of [
    {},
    { chargebackReasonCode: "", defensePeriodEndsAt: "soon" },
    { chargebackReasonCode: 104, defensePeriodEndsAt: 1_800_000_000_000 },
    { chargebackReasonCode: "x".repeat(61), defensePeriodEndsAt: "2026-13-40T10:15:30+01:00" }
  ]) {
    itRuns(`${JSON.stringify(additionalData).slice(0, 60)} states only verdict and amount`, function* () {
      assert.deepStrictEqual<unknown>(yield* read(additionalData), stated)
    })
  }
})
