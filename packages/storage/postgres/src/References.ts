/** By a provider's reference: the payments that have it or name it. */

const isCharge = (table: string) =>
  `${table}.connection_id = recorded.connection_id and ${table}.provider_ref = recorded.provider_ref`

/** With its hash, because a reference may be longer than an index takes. */
export const recordedReferences = ([workspace, environment, connection, providerRef]: readonly [
  workspace: string,
  environment: string,
  connection: string,
  providerRef: string
]): string =>
  ["charge_references", "named_references"]
    .map(
      (table) => `select workspace_id, environment, connection_id, provider_ref, payment_id from ${table}
        where workspace_id = ${workspace} and environment = ${environment} and connection_id = ${connection}
          and reference_hash = md5(${providerRef}) and provider_ref = ${providerRef}`
    )
    .join(" union ")

/*
 * Values rather than conditions: PostgreSQL would make a join of a condition, and without statistics read all payments of
 * the tenant for it.
 */

/** `workspace` and `environment`: those of `recorded`, or where a plan has to know them the tenant's. */
const testsOf = (workspace: string, environment: string) => {
  const ofRecord = (table: string) => `${table}.workspace_id = ${workspace} and ${table}.environment = ${environment}`
  return {
    /** Whether the payment of `recorded` is based on the charge. */
    isOwn: `coalesce((select ${isCharge("payments")} from payments
  where ${ofRecord("payments")} and payments.id = recorded.payment_id), false)`,
    /** Whether an attempt of the payment of `recorded` names the charge. */
    isAttempt: `(select count(*) from attempts
  where ${ofRecord("attempts")} and attempts.payment_id = recorded.payment_id and ${isCharge("attempts")}) > 0`
  }
}

export type ReferenceTests = ReturnType<typeof testsOf>

export const recordTests = testsOf("recorded.workspace_id", "recorded.environment")
/** For a distributed database, whose plan finds the shard by the tenant in `$1` and `$2`. */
export const tenantTests = testsOf("$1", "$2")

/** Whether a message's subject is the reference of an attempt. */
export const namesAttempt = `exists (
  select 1 from (${recordedReferences([
    "messages.workspace_id",
    "messages.environment",
    "messages.connection_id",
    "messages.subject_id"
  ])}) as recorded where ${recordTests.isAttempt}
)`
