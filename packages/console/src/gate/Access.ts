/** What an endpoint or a page takes. */
import { mayAct, type Operator, type OperatorAction } from "@pointsman/core"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

/** `signedIn`: every operator may do it, because it is about the operator alone. */
export type Access = OperatorAction | "signedIn"

/** One for each endpoint of the group: an endpoint without an access does not compile. */
export type AccessOf<Group extends HttpApiGroup.Constraint> = {
  readonly [Endpoint in HttpApiEndpoint.Identifier<HttpApiGroup.Endpoints<Group>>]: Access
}

/** `workspace`: of the path; `undefined` for what belongs to no workspace. */
export const isAllowed = (operator: Operator, access: Access, workspace: string | undefined): boolean =>
  access === "signedIn" ? operator.active : mayAct(operator, access, workspace ?? null)
