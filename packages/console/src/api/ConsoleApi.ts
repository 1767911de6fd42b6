/** The console's API, under `<mount>/api`: the endpoints of all areas, and the action that each of them takes. */
import { HttpApi } from "effect/http-api"
import { Account, accountAccess, Entry } from "../account/AccountApi.ts"
import type { AccessOf } from "../gate/Access.ts"
import { Passkeys, passkeyAccess } from "../passkeys/PasskeyApi.ts"
import { Payments, paymentAccess } from "../payments/PaymentApi.ts"

export class ConsoleApi extends HttpApi.make("pointsman-console")
  .add(Entry, Account, Passkeys, Payments)
  .prefix("/api") {}

type Groups = (typeof ConsoleApi)["groups"]
type Guarded = Groups[Exclude<keyof Groups, "entry">]

/** An endpoint that needs a session and is not here does not compile. */
export const accessOf = { ...accountAccess, ...passkeyAccess, ...paymentAccess } as const satisfies AccessOf<Guarded>
