/**
 * Partners' merchants in PostgreSQL. Provisions of one partner take turns by the partner's row: what is counted and
 * compared after it was locked stays so until the merchant is written.
 */
import { emailKey, workspaceOfMerchant } from "@pointsman/core/internal"
import { Merchants, type Provision, type ProvisionFailure } from "@pointsman/core/ports"
import { afterAll, valuesOf } from "@pointsman/storage-sql"
import { Effect, Option } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Database, Query } from "./Database.ts"
import { newVersion, tellOthers } from "./Directory.ts"
import { bindText, bindValue, insertInto, readText, rows } from "./Rows.ts"

const { workspaces } = rows.directory
const insertWorkspace = insertInto("workspaces", Object.keys(workspaces.columns))
const bindWorkspace = valuesOf(workspaces.columns)
const insertMerchant = insertInto("merchants", Object.keys(rows.merchantColumns))
const bindMerchant = valuesOf(rows.merchantColumns)

/** With what the workspace and its keys say now. */
const selectStanding = `select merchants.*, workspaces.suspended, exists (
    select 1 from api_keys
    where workspace_id = merchants.workspace_id and environment = 'production' and revoked_at is null
  ) as has_live_key
  from merchants join workspaces on workspaces.id = merchants.workspace_id
  where merchants.partner_id = $1`
const selectOne = `${selectStanding} and merchants.id = $2`
const selectPage = `${selectStanding} and merchants.id < $2 order by merchants.id desc limit $3`

/** `wroteWorkspace`: what the directory keeps in this process must show the new workspace. */
export const make = (db: Database, wroteWorkspace: Effect.Effect<void>): Merchants["Service"] =>
  Merchants.of({
    provision: (provision) =>
      Effect.ensuring(
        db.transaction("provision", (query) => writeProvision(query, provision)),
        wroteWorkspace
      ),
    replaceInvitation: (partnerId, id, invitationHash) => {
      const key = [bindText(partnerId), bindText(id)]
      return db.transaction("replaceInvitation", (query) =>
        Effect.gen(function* () {
          yield* query("update merchants set invitation_hash = $3 where partner_id = $1 and id = $2", [
            ...key,
            bindText(invitationHash)
          ])
          const [row] = yield* query(selectOne, key)
          return Option.map(Option.fromUndefinedOr(row), rows.readStanding)
        })
      )
    },
    list: (partnerId, { before, limit }) =>
      Effect.map(
        db.read("list", selectPage, [bindText(partnerId), bindText(before ?? afterAll), String(limit)]),
        (found) => found.map(rows.readStanding)
      ),
    workspaceIds: Effect.map(
      db.read("workspaceIds", "select workspace_id from merchants"),
      (found) => new Set(found.map((row) => readText(row["workspace_id"])))
    )
  })

const lockPartner = "select 1 as one from workspaces where id = $1 for no key update"

/** After the lock, so that it sees what those before us wrote. */
const selectChecks = `select
  exists (select 1 from merchants where partner_id = $1 and id = $2) as is_there,
  $4::text is not null
    and not exists (select 1 from api_keys where hash = $4 and revoked_at is null) as is_revoked,
  (select partner from workspaces where id = $1) as partner,
  exists (select 1 from merchants where partner_id = $1 and md5(email_key) = md5($3)) as is_invited,
  (select count(*)::integer from merchants where partner_id = $1) as present`

/** Inside the transaction that its checks guard. */
const writeProvision = Effect.fnUntraced(function* (
  query: Query,
  { apiKeyHash, merchant }: Provision
): Effect.fn.Return<void, ProvisionFailure | SqlError> {
  const asked = [merchant.partnerId, merchant.id, emailKey(merchant.email)].map(bindText)
  yield* query(lockPartner, asked.slice(0, 1))
  const [checks = {}] = yield* query(selectChecks, [...asked, apiKeyHash === undefined ? null : bindText(apiKeyHash)])
  if (!(yield* Effect.fromResult(rows.checkProvision(checks)))) return
  yield* query(insertWorkspace, bindWorkspace(workspaceOfMerchant(merchant)).map(bindValue))
  yield* query(insertMerchant, bindMerchant(merchant).map(bindValue))
  yield* query(newVersion)
  yield* query(tellOthers)
})
