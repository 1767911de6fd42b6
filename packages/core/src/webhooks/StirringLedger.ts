/** The ledger that the verbs write through: every write says when its webhooks are first sent, and wakes who sends them. */
import { Clock, Effect, Random } from "effect"
import { Ledger } from "../ports/Ledger.ts"
import { spread } from "./Delivery.ts"
import type { DeliverySettings } from "./DeliverySettings.ts"
import type { Stirring } from "./Stirring.ts"

export const stirringLedger = (
  ledger: Ledger["Service"],
  stirring: Stirring["Service"],
  { scheduleMillis }: DeliverySettings
): Ledger["Service"] =>
  Ledger.of({
    ...ledger,
    commit: Effect.fnUntraced(function* (change) {
      if (change.events.length === 0) return yield* ledger.commit(change)
      const now = yield* Clock.currentTimeMillis
      const drawn = yield* Random.next
      yield* ledger.commit({ ...change, deliverAt: now + spread(scheduleMillis[0] ?? 0, drawn) })
      yield* stirring.stir
    })
  })
