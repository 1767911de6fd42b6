/** Sandbox and production are two worlds: nothing of one is ever seen from the other. */
export type Environment = "sandbox" | "production"

export const environments = ["sandbox", "production"] as const satisfies ReadonlyArray<Environment>

/** Whose data, in which environment. It leads every key of every store and every call of a port. */
export interface Tenant {
  readonly workspaceId: string
  readonly environment: Environment
}
