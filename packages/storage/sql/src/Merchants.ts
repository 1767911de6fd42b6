/**
 * Partners' merchants. Provisions of one partner take turns by the partner's row: what is counted and compared after it
 * was locked stays so until the merchant is written.
 */
import { emailKey, workspaceOfMerchant } from "@pointsman/core/internal"
import * as Ports from "@pointsman/core/ports"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { afterAll, firstOf, readJson, valuesOf } from "./Columns.ts"
import type { DirectoryForm } from "./DirectoryWrites.ts"
import { insertInto, type Query, readAll, type Sql } from "./Sql.ts"

export const makeMerchants = <V>(
  sql: Sql<V>,
  form: Pick<DirectoryForm<V>, "forget" | "tell">
): Ports.Merchants["Service"] => {
  const { by, rows, transaction } = sql
  const { bindText, readStanding, readText } = rows
  /** With what the workspace and its keys say now. */
  const selectStanding = `select merchants.*, workspaces.suspended, exists (
      select 1 from ${by("api_keys", "api_keys_by_workspace")}
      where workspace_id = merchants.workspace_id and environment = 'production' and revoked_at is null
    ) as has_live_key
    from merchants join workspaces on workspaces.id = merchants.workspace_id
    where merchants.partner_id = $1`
  const selectOne = `${selectStanding} and merchants.id = $2`
  const selectPage = `${selectStanding} and merchants.id < $2 order by merchants.id desc limit $3`
  const write = makeProvision(sql, form)
  return Ports.Merchants.of({
    provision: (provision) =>
      Effect.ensuring(
        transaction("provision", (query) => write(query, provision)),
        form.forget
      ),
    replaceInvitation: (partnerId, id, invitationHash) => {
      const key = [bindText(partnerId), bindText(id)]
      const replace = "update merchants set invitation_hash = $3 where partner_id = $1 and id = $2"
      return transaction("replaceInvitation", (query) =>
        Effect.andThen(
          query(replace, [...key, bindText(invitationHash)]),
          Effect.map(query(selectOne, key), firstOf(readStanding))
        )
      )
    },
    list: (partnerId, { before, limit }) =>
      readAll(sql, "list", readStanding, selectPage, [bindText(partnerId), bindText(before ?? afterAll), limit]),
    workspaceIds: Effect.map(
      readAll(sql, "workspaceIds", (row) => readText(row["workspace_id"]), "select workspace_id from merchants"),
      (ids) => new Set(ids)
    )
  })
}

/** Inside the transaction that its checks guard. */
const makeProvision = <V>({ isSame, locking, rows }: Sql<V>, { tell }: Pick<DirectoryForm<V>, "tell">) => {
  const { bindText, bindTextOrNull, directory, merchantColumns, readBoolean } = rows
  const { columns } = directory.workspaces
  const insertWorkspace = insertInto("workspaces", Object.keys(columns))
  const bindWorkspace = valuesOf(columns)
  const insertMerchant = insertInto("merchants", Object.keys(merchantColumns))
  const bindMerchant = valuesOf(merchantColumns)
  const lockPartner = locking("select 1 as one from workspaces where id = $1 for no key update")
  /** After the lock, so that it sees what those before us wrote. */
  const selectChecks = `select
    exists (select 1 from merchants where partner_id = $1 and id = $2) as is_there,
    $4::text is not null and not exists (select 1 from api_keys where hash = $4 and revoked_at is null) as is_revoked,
    (select partner from workspaces where id = $1) as partner,
    exists (select 1 from merchants where partner_id = $1 and ${isSame("email_key", "$3")}) as is_invited,
    (select count(*) from merchants where partner_id = $1) as present`
  return Effect.fnUntraced(function* (
    query: Query<V>,
    { apiKeyHash, merchant }: Ports.Provision
  ): Effect.fn.Return<void, Ports.ProvisionFailure | SqlError> {
    const asked = [merchant.partnerId, merchant.id, emailKey(merchant.email)].map(bindText)
    yield* query(lockPartner, asked.slice(0, 1))
    const [checks = {}] = yield* query(selectChecks, [...asked, bindTextOrNull(apiKeyHash ?? null)])
    if (readBoolean(checks["is_there"])) return
    const refused = Ports.provisionRefusal({
      isRevoked: readBoolean(checks["is_revoked"]),
      partner: readJson(checks["partner"]),
      isInvited: readBoolean(checks["is_invited"]),
      present: checks["present"] as number
    })
    if (refused !== undefined) return yield* refused
    yield* query(insertWorkspace, bindWorkspace(workspaceOfMerchant(merchant)))
    yield* query(insertMerchant, bindMerchant(merchant))
    yield* tell(query)
  })
}
