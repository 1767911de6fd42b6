/** The console's API, under `<mount>/api`: the endpoints of all areas, and the action that each of them takes. */
import { HttpApi } from "effect/http-api"
import { Account, accountAccess, Entry } from "../account/AccountApi.ts"
import { AuditTrail, auditAccess } from "../audit/AuditApi.ts"
import type { AccessOf } from "../gate/Access.ts"
import { Keys, keyAccess } from "../keys/KeyApi.ts"
import { OperatorGroup, operatorAccess } from "../operators/OperatorApi.ts"
import { Partners, partnerAccess } from "../partners/PartnerApi.ts"
import { Payments, paymentAccess } from "../payments/PaymentApi.ts"

export class ConsoleApi extends HttpApi.make("pointsman-console")
  .add(Entry, Account, Payments, Keys, Partners, OperatorGroup, AuditTrail)
  .prefix("/api") {}

type Groups = (typeof ConsoleApi)["groups"]
type Guarded = Groups[Exclude<keyof Groups, "entry">]

/** An endpoint that needs a session and is not here does not compile. */
export const accessOf = {
  ...accountAccess,
  ...paymentAccess,
  ...keyAccess,
  ...partnerAccess,
  ...operatorAccess,
  ...auditAccess
} as const satisfies AccessOf<Guarded>
