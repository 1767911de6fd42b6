/** What an endpoint or a page takes. */
import { mayAct, type Operator, type OperatorAction, type OperatorRole } from "@pointsman/core"
import type { SignedIn } from "@pointsman/core/ports"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { failure } from "../api/Errors.ts"

/**
 * `signedIn`: every operator may do it, because it is about the operator alone. `addPasskey`: the same, also in a session
 * that lacks a passkey (`lacksPasskey`).
 */
export type Access = OperatorAction | "signedIn" | "addPasskey"

/** One for each endpoint of the group: an endpoint without an access does not compile. */
export type AccessOf<Group extends HttpApiGroup.Constraint> = {
  readonly [Endpoint in HttpApiEndpoint.Identifier<HttpApiGroup.Endpoints<Group>>]: Access
}

/** `workspace`: of the path; `undefined` for what belongs to no workspace. */
export const isAllowed = (operator: Operator, access: Access, workspace: string | undefined): boolean =>
  access === "signedIn" || access === "addPasskey" ? operator.active : mayAct(operator, access, workspace ?? null)

/** Whether a role of the operator, in whichever workspace, takes a passkey, and the session began by a password or a link. */
export const lacksPasskey = ({ operator, session }: SignedIn, requirePasskey: ReadonlyArray<OperatorRole>): boolean =>
  (session.method === "password" || session.method === "link") &&
  operator.grants.some(({ role }) => requirePasskey.includes(role))

/**
 * Whether such a session may not even add a passkey: one who knows the password alone would add their own beside those that
 * the operator has. A link comes from an administrator, and helps who lost a passkey.
 */
export const mustUsePasskey = (
  signedIn: SignedIn,
  requirePasskey: ReadonlyArray<OperatorRole>,
  passkeys: ReadonlyArray<unknown>
): boolean => signedIn.session.method === "password" && passkeys.length > 0 && lacksPasskey(signedIn, requirePasskey)

/** Why the session may not do it; `undefined` where it may. */
export const refusalOf = (
  signedIn: SignedIn,
  access: Access,
  workspace: string | undefined,
  requirePasskey: ReadonlyArray<OperatorRole>
) => {
  if (access !== "addPasskey" && lacksPasskey(signedIn, requirePasskey)) return passkeyRequired
  return isAllowed(signedIn.operator, access, workspace) ? undefined : forbidden
}

const passkeyRequired = failure(
  "passkey_required",
  "Your role takes a passkey: sign in with one, or add one to your account first."
)
const forbidden = failure("forbidden", "Your role in this workspace does not allow this.")
