/** The console's API, under `<mount>/api`: the endpoints of all areas, and the action that each of them takes. */
import { HttpApi } from "effect/http-api"
import { Account, accountAccess, Entry } from "../account/AccountApi.ts"
import { Connections, connectionAccess } from "../connections/ConnectionApi.ts"
import type { AccessOf } from "../gate/Access.ts"
import { Messages, messageAccess } from "../messages/MessageApi.ts"
import { Payments, paymentAccess } from "../payments/PaymentApi.ts"
import { Reviews, reviewAccess } from "../reviews/ReviewApi.ts"
import { Routing, routingAccess } from "../routing/RoutingApi.ts"

export class ConsoleApi extends HttpApi.make("pointsman-console")
  .add(Entry, Account, Payments, Reviews, Messages, Routing, Connections)
  .prefix("/api") {}

type Groups = (typeof ConsoleApi)["groups"]
type Guarded = Groups[Exclude<keyof Groups, "entry">]

/** An endpoint that needs a session and is not here does not compile. */
export const accessOf = {
  ...accountAccess,
  ...paymentAccess,
  ...reviewAccess,
  ...messageAccess,
  ...routingAccess,
  ...connectionAccess
} as const satisfies AccessOf<Guarded>
