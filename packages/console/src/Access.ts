/** What each endpoint and page takes. One that is not in its table does not compile. */
import { mayAct, type Operator, type OperatorAction } from "@pointsman/core"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { Desk } from "./api/ConsoleApi.ts"

/** `signedIn`: every operator may do it, because it is about the operator alone. */
export type Access = OperatorAction | "signedIn"

type DeskEndpoint = HttpApiEndpoint.Identifier<HttpApiGroup.Endpoints<typeof Desk>>

export const accessOf = {
  me: "signedIn",
  signOutEverywhere: "signedIn",
  setPassword: "signedIn",
  payments: "payment.read",
  payment: "payment.read",
  capture: "payment.capture",
  void: "payment.void",
  refund: "payment.refund"
} as const satisfies { readonly [Endpoint in DeskEndpoint]: Access }

/** `workspace`: of the path; `undefined` for what belongs to no workspace. */
export const isAllowed = (operator: Operator, access: Access, workspace: string | undefined): boolean =>
  access === "signedIn" ? operator.active : mayAct(operator, access, workspace ?? null)
