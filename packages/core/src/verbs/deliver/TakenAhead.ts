/** Deliveries taken under lease and not sent yet, so that a place that becomes free waits for no store. */
import { viewOfEvent } from "../../model/Event.ts"
import type { DueDelivery } from "../../ports/Deliveries.ts"
import type { DeliverySettings } from "../../ports/PaymentSettings.ts"

export interface TakenDelivery {
  readonly due: DueDelivery
  readonly body: Uint8Array
  /** Epoch milliseconds. */
  readonly takenAt: number
}

const utf8 = new TextEncoder()

export const makeTakenAhead = ({ atOnce, leaseMillis }: Pick<DeliverySettings, "atOnce" | "leaseMillis">) => {
  /** As many as places, which sends them within one round of answers. */
  const atMost = atOnce
  let waiting: ReadonlyArray<TakenDelivery> = []
  let sent = 0
  const left = (): number => waiting.length - sent

  return {
    /** Half of them at a time: a look at the store costs about as much for one as for dozens. */
    isLow: (): boolean => left() <= atMost / 2,
    room: (): number => atMost - left(),
    add: (due: ReadonlyArray<DueDelivery>, takenAt: number): void => {
      const bodyOf = makeBodies()
      waiting = [...waiting.slice(sent), ...due.map((one) => ({ due: one, body: bodyOf(one), takenAt }))]
      sent = 0
    },
    /** The oldest. One that waited for half of its lease is left to the next taker, who may come before its answer. */
    next: (now: number): TakenDelivery | undefined => {
      while (sent < waiting.length) {
        const one = waiting[sent++]
        if (one !== undefined && now - one.takenAt <= leaseMillis / 2) return one
      }
      return undefined
    }
  }
}

/** Of deliveries that were taken together: their events were read together, so that one of them has one body. */
const makeBodies = () => {
  const rendered = new Map<string, Uint8Array>()
  return ({ delivery: { tenant }, event }: DueDelivery): Uint8Array => {
    const key = JSON.stringify([tenant.workspaceId, tenant.environment, event.id])
    const known = rendered.get(key)
    if (known !== undefined) return known
    const body = utf8.encode(JSON.stringify(viewOfEvent(event)))
    rendered.set(key, body)
    return body
  }
}
