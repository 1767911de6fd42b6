/** Create, capture and refund, as the comparison with another library asks for them: promises, and a check at the end. */
import { randomUUID } from "node:crypto"
import { Pointsman } from "@pointsman/core"
import { ManagedRuntime } from "effect"
import { createRequest } from "../kit/CreateRequest.ts"
import { caller, type Storage, worldLayer } from "../World.ts"

export interface Handle {
  readonly id: string
  readonly amount: number
}

export interface Flow {
  readonly create: (index: number, amount: number) => Promise<Handle>
  readonly capture: (handle: Handle) => Promise<void>
  readonly refund: (handle: Handle) => Promise<void>
  readonly read: (handle: Handle) => Promise<unknown>
  /** Throws unless the payment was refunded in full. */
  readonly check: (handle: Handle) => Promise<void>
  readonly close: () => Promise<void>
}

export const openFlow = async (storage: Storage): Promise<Flow> => {
  const runtime = ManagedRuntime.make(worldLayer(storage))
  const pointsman = await runtime.runPromise(Pointsman)
  const order = ({ amount, id }: Handle) => ({
    paymentId: id,
    idempotencyKey: randomUUID(),
    amountMinor: amount,
    reason: null
  })
  const read = ({ id }: Handle) => runtime.runPromise(pointsman.payment(caller.tenant, id))
  return {
    create: async (index, amount) => {
      const request = createRequest(`order-${index}`, randomUUID(), "manual")
      const details = { ...request.details, money: { minorUnits: amount, currency: "EUR" } }
      const { payment } = await runtime.runPromise(pointsman.create(caller, { ...request, details }))
      return { id: payment.id, amount }
    },
    capture: async (handle) => {
      await runtime.runPromise(pointsman.capture(caller, order(handle)))
    },
    refund: async (handle) => {
      await runtime.runPromise(pointsman.refund(caller, order(handle)))
    },
    read,
    check: async (handle) => {
      const payment = await read(handle)
      const sums = [payment.authorizedMinor, payment.capturedMinor, payment.refundedMinor, payment.refundPendingMinor]
      const expected = [handle.amount, handle.amount, handle.amount, 0]
      if (sums.join() !== expected.join()) throw new Error(`payment ${handle.id}: ${sums.join(", ")}`)
      const { items } = await runtime.runPromise(pointsman.timeline(caller.tenant, handle.id, { limit: 20 }))
      if (items.length < 3) throw new Error(`payment ${handle.id} has ${items.length} events`)
    },
    close: () => runtime.dispose()
  }
}
