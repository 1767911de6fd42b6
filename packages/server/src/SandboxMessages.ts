/**
 * The messages of the simulated provider, which `pointsman dev` brings to its own server: a provider that is reached without
 * a network has no address to send from. They are about disputes alone. The store knows a message that was brought before,
 * also by an earlier run.
 */
import { disputedReference, messagesOf, SandboxRecords, withDispute } from "@pointsman/connector-sandbox"
import { Pointsman } from "@pointsman/core"
import { Directory } from "@pointsman/core/ports"
import { Clock, Effect, Option } from "effect"

/** Between two looks at the simulated provider's records. */
const every = "1 second"

export const bringMessages = Effect.gen(function* () {
  const brought = new Set<string>()
  const bring = Effect.catchCause(bringOnce(brought), (cause) =>
    Effect.logError("the simulated provider's messages could not be recorded", cause)
  )
  return yield* Effect.forever(Effect.andThen(bring, Effect.sleep(every)))
})

/** `brought`: the ids of the messages of this run. */
const bringOnce = Effect.fnUntraced(function* (brought: Set<string>) {
  const records = yield* SandboxRecords
  const directory = yield* Directory
  const pointsman = yield* Pointsman
  const now = yield* Clock.currentTimeMillis
  for (const { attemptId, connectionId } of yield* records.chargesByReference(disputedReference)) {
    const record = yield* records.playCharge(connectionId, attemptId, (stored) => withDispute(stored, now))
    const connection = Option.getOrUndefined(yield* directory.connection(connectionId))
    if (record === null || connection === undefined) continue
    const { environment, workspaceId } = connection
    for (const message of messagesOf(record, now).filter(({ id }) => !brought.has(id))) {
      const received = { connectionId, tenant: { workspaceId, environment }, receivedAt: now }
      yield* pointsman.recordMessage({ ...received, body: JSON.stringify(message), message, reason: null })
      brought.add(message.id)
    }
  }
})
