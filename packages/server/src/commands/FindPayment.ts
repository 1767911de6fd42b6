/** One payment by its id, of whichever workspace. */
import { type PaymentFile, Pointsman } from "@pointsman/core"
import { Directory } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { CommandFailure } from "./CommandFailure.ts"
import { printable } from "./Printable.ts"
import { findAnywhere } from "./Tenants.ts"

export const findPayment = Effect.fnUntraced(function* (id: string) {
  const pointsman = yield* Pointsman
  const contents = yield* (yield* Directory).contents
  const found = yield* findAnywhere(contents, (tenant) =>
    pointsman.paymentFile(tenant, id).pipe(
      Effect.asSome,
      Effect.catchTag("pointsman/PaymentNotFound", () => Effect.succeed(Option.none<PaymentFile>()))
    )
  )
  return yield* Effect.mapError(Effect.fromOption(found), () => notFound(id))
})

export const notFound = (id: string): CommandFailure =>
  new CommandFailure({ message: `Payment "${printable(id)}" not found.` })
