/** From the claims of an ID token to an operator: its login and, where the issuer decides about them, its roles. Pure. */
import { type OperatorGrant, type OperatorRole, operatorRoles } from "@pointsman/core"
import { Schema } from "effect"

export interface RoleOfClaim {
  /** All workspaces unless set. */
  readonly workspace?: string | undefined
  readonly role: OperatorRole
}

export interface ClaimRules {
  /**
   * The claim that is the operator's login. `email` unless set, which counts only with `email_verified`. Of another claim
   * the value counts as it is: it must be one that people cannot choose themselves.
   */
  readonly loginClaim?: string | undefined
  /**
   * A claim with a text or a list of texts, such as `groups`. Where it is set, it decides about roles at each sign-in.
   * Without it, an operator must exist, and has the roles that it has here.
   */
  readonly rolesClaim?: string | undefined
  /** By the texts of `rolesClaim`. In one workspace, the role that may do most counts. */
  readonly roles?: Readonly<Record<string, RoleOfClaim>> | undefined
}

export class ClaimsRefused extends Schema.TaggedError<ClaimsRefused>()("pointsman/ClaimsRefused", {
  reason: Schema.Literals(["noLogin", "emailUnverified"])
}) {}

type Claims = Readonly<Record<string, unknown>>

export const identityOf = (claims: Claims, { loginClaim = "email", roles = {}, rolesClaim }: ClaimRules) => {
  const login = claims[loginClaim]
  // Logins are compared in their compatible form (`loginKey`): a look-alike of another login must not become it.
  if (typeof login !== "string" || login === "" || login !== login.normalize("NFKC")) {
    return new ClaimsRefused({ reason: "noLogin" })
  }
  if (loginClaim === "email" && claims["email_verified"] !== true) {
    return new ClaimsRefused({ reason: "emailUnverified" })
  }
  const { name } = claims
  return {
    login,
    displayName: typeof name === "string" ? name : login,
    grants: rolesClaim === undefined ? null : grantsOf(textsOf(claims[rolesClaim]), roles)
  }
}

const textsOf = (claim: unknown): ReadonlyArray<string> =>
  (Array.isArray(claim) ? claim : [claim]).filter((text): text is string => typeof text === "string")

const grantsOf = (
  texts: ReadonlyArray<string>,
  roles: Readonly<Record<string, RoleOfClaim>>
): ReadonlyArray<OperatorGrant> => {
  const granted = new Map<string | null, OperatorRole>()
  for (const text of texts) {
    const found = Object.hasOwn(roles, text) ? roles[text] : undefined
    if (found === undefined) continue
    const workspaceId = found.workspace ?? null
    const before = granted.get(workspaceId)
    if (before === undefined || operatorRoles.indexOf(before) < operatorRoles.indexOf(found.role)) {
      granted.set(workspaceId, found.role)
    }
  }
  return [...granted].map(([workspaceId, role]) => ({ workspaceId, role }))
}
