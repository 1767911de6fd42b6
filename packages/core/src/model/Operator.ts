/**
 * People who use the console, and what each of them may do.
 *
 * A role includes every role before it in `operatorRoles`. Each action names the least role that it takes, so that the
 * table is total by type: an action without a role does not compile.
 */

/** From the least to the most. */
export const operatorRoles = ["viewer", "support", "operations", "admin"] as const
export type OperatorRole = (typeof operatorRoles)[number]

/** The least role that each action takes. */
export const leastRoles = {
  "payment.read": "viewer",
  "payment.capture": "support",
  "payment.void": "support",
  "payment.refund": "support",
  "webhook.redeliver": "support",
  "review.resolve": "operations",
  "correction.decide": "operations",
  "message.apply": "operations",
  "reconciliation.read": "operations",
  "difference.close": "operations",
  "dispute.answer": "operations",
  "routing.read": "operations",
  "key.manage": "admin",
  "connection.read": "admin",
  "connection.manage": "admin",
  "routing.manage": "admin",
  "endpoint.manage": "admin",
  "operator.manage": "admin",
  "audit.read": "admin",
  "usage.read": "admin",
  "merchant.invite": "admin"
} as const satisfies Readonly<Record<string, OperatorRole>>

export type OperatorAction = keyof typeof leastRoles

export const operatorActions = Object.keys(leastRoles) as ReadonlyArray<OperatorAction>

export interface OperatorGrant {
  /** `null`: all workspaces, also those that are added later, and what belongs to no workspace. */
  readonly workspaceId: string | null
  readonly role: OperatorRole
}

export interface Operator {
  /** `opr_` and a UUIDv7. */
  readonly id: string
  /** An e-mail address or a name, as it was written; compared by `loginKey`. It never changes. */
  readonly login: string
  readonly displayName: string
  /** An inactive operator cannot sign in. */
  readonly active: boolean
  readonly grants: ReadonlyArray<OperatorGrant>
  /** With its algorithm, parameters and salt; `null` while the operator signs in only by links. */
  readonly passwordHash: string | null
  /** Issuer and subject of the person who first signed in by OpenID Connect as this operator: no other one may. */
  readonly identity: string | null
  /** From 1; each change counts it up. */
  readonly version: number
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** By which two logins are one: neither case nor the way in which a letter is composed counts. */
export const loginKey = (login: string): string => login.normalize("NFKC").toLowerCase()

export const loginExpected =
  "1 to 254 characters without spaces or control characters, that do not name a part of the program and are no URL"
export const displayNameExpected = "1 to 120 characters without control characters, and not only spaces"

const loginShape = /^[^\p{C}\p{Z}]{1,254}$/u
const displayNameShape = /^(?=.*\S)\P{C}{1,120}$/u

/** The audit trail names these, and the URL of an issuer, where no operator acts. */
const reservedLogins: ReadonlySet<string> = new Set(["console", "command", "configuration", "library", "mcp", "server"])

export const isLogin = (text: string): boolean =>
  loginShape.test(text) && !reservedLogins.has(loginKey(text)) && !text.includes("://")
export const isDisplayName = (text: string): boolean => displayNameShape.test(text)

/** Whether the operator may do it in the workspace; `null`: in none, where only roles in all workspaces count. */
export const mayAct = (
  { active, grants }: Pick<Operator, "active" | "grants">,
  action: OperatorAction,
  workspaceId: string | null
): boolean =>
  active &&
  grants.some(
    (grant) =>
      (grant.workspaceId === null || grant.workspaceId === workspaceId) &&
      operatorRoles.indexOf(grant.role) >= operatorRoles.indexOf(leastRoles[action])
  )

/** Operators belong to no workspace, so that a role in all workspaces is needed. */
export const managesOperators = (operator: Pick<Operator, "active" | "grants">): boolean =>
  mayAct(operator, "operator.manage", null)

/** Whether both give the same role in each workspace, in whichever order. */
export const isSameGrants = (one: ReadonlyArray<OperatorGrant>, other: ReadonlyArray<OperatorGrant>): boolean =>
  one.length === other.length &&
  one.every(({ role, workspaceId }) => other.some((grant) => grant.role === role && grant.workspaceId === workspaceId))
