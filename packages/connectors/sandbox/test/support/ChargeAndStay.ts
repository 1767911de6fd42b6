/** A process that charges once over the file that it is given, says so, and stays until it is killed. */
import { money } from "@pointsman/core/connector"
import { Effect, Result } from "effect"
import { SandboxConnector, SandboxRecords } from "../../src/index.ts"

const chargeAndStay = Effect.gen(function* () {
  const records = yield* SandboxRecords.file(String(process.argv[2]))
  const account = { connectionId: "sandbox-a", environment: "sandbox", credentials: {}, timeoutMillis: 1000 } as const
  const connector = Result.getOrThrow(
    SandboxConnector.make(records).connect(account, { send: () => Effect.die(new Error("the transport was used")) })
  )
  const answer = yield* connector.charge({
    attemptId: "att_1",
    attemptNumber: 1,
    paymentId: "payment-of-att_1",
    money: money(1000, "EUR"),
    country: "NL",
    method: "card",
    cardBrand: "visa",
    initiator: "cit",
    capture: true,
    reference: null,
    instrument: null,
    simulation: null
  })
  process.stdout.write(answer._tag)
  // An open input keeps the process alive; a fiber that waits does not.
  process.stdin.resume()
  return yield* Effect.never
})

await Effect.runPromise(Effect.scoped(chargeAndStay))
