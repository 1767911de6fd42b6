/**
 * Partners' merchants in PostgreSQL. Provisions of one partner take turns by the partner's row: what is counted and
 * compared after it was locked stays so until the merchant is written.
 */
import {
  AllowanceExhausted,
  AlreadyInvited,
  ApiKeyRevoked,
  emailKey,
  type Merchant,
  type MerchantStanding,
  Merchants,
  NotAPartner,
  type Provision,
  type ProvisionFailure,
  type Workspace,
  workspaceOfMerchant
} from "@pointsman/core"
import { Effect, Option } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Database, Query } from "./Database.ts"
import { newVersion, tellOthers } from "./Directory.ts"
import { directoryTables, workspaceRow } from "./DirectoryRows.ts"
import { bindRow, bindText, list, type NewRow, type Row, readJson, readText, readTextOrNull } from "./Rows.ts"

/** With what the workspace and its keys say now. */
const selectStanding = `select merchants.*, workspaces.suspended, exists (
    select 1 from api_keys
    where workspace_id = merchants.workspace_id and environment = 'production' and revoked_at is null
  ) as has_live_key
  from merchants join workspaces on workspaces.id = merchants.workspace_id
  where merchants.partner_id = $1`
const selectOne = `${selectStanding} and merchants.id = $2`
const selectPage = `${selectStanding} and merchants.id < $2 order by merchants.id desc limit $3`

/** Greater than every id that we write. */
const afterAll = "~"

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
          return Option.map(Option.fromUndefinedOr(row), readStanding)
        })
      )
    },
    list: (partnerId, { before, limit }) =>
      Effect.map(
        db.read("list", selectPage, [bindText(partnerId), bindText(before ?? afterAll), String(limit)]),
        (rows) => rows.map(readStanding)
      ),
    workspaceIds: Effect.map(
      db.read("workspaceIds", "select workspace_id from merchants"),
      (rows) => new Set(rows.map((row) => readText(row["workspace_id"])))
    )
  })

const lockPartner = "select partner from workspaces where id = $1 for no key update"

/** After the lock, so that it sees what those before us wrote. */
const selectChecks = `select
  exists (select 1 from merchants where partner_id = $1 and id = $2) as is_there,
  exists (select 1 from api_keys where hash = $4 and revoked_at is null) as has_live_key,
  exists (select 1 from merchants where partner_id = $1 and md5(email_key) = md5($3)) as is_invited,
  (select count(*)::integer from merchants where partner_id = $1) as present`

/** The checks in the port's order, inside the transaction that they guard. */
const writeProvision = Effect.fnUntraced(function* (
  query: Query,
  { apiKeyHash, merchant }: Provision
): Effect.fn.Return<void, ProvisionFailure | SqlError> {
  const partnerId = bindText(merchant.partnerId)
  const [locked] = yield* query(lockPartner, [partnerId])
  const checked = [bindText(merchant.id), bindText(emailKey(merchant.email)), bindText(apiKeyHash ?? "")]
  const [checks = {}] = yield* query(selectChecks, [partnerId, ...checked])
  if (checks["is_there"] === true) return
  if (apiKeyHash !== undefined && checks["has_live_key"] !== true) return yield* new ApiKeyRevoked()
  const partner = locked === undefined ? null : readJson<Workspace["partner"]>(locked["partner"])
  if (partner === null) return yield* new NotAPartner()
  if (checks["is_invited"] === true) return yield* new AlreadyInvited()
  if ((checks["present"] as number) >= partner.allowance) {
    return yield* new AllowanceExhausted({ allowance: partner.allowance })
  }
  yield* query(insertOf("workspaces", directoryTables.workspaces.columns), [
    JSON.stringify(bindRow(workspaceRow(workspaceOfMerchant(merchant))))
  ])
  const row = merchantRow(merchant)
  yield* query(insertOf("merchants", Object.keys(row)), [JSON.stringify(bindRow(row))])
  yield* query(newVersion)
  yield* query(tellOthers)
})

const insertOf = (table: string, columns: ReadonlyArray<string>) =>
  `insert into ${table} (${list(columns)}) select ${list(columns)}
    from jsonb_populate_record(null::${table}, $1::text::jsonb)`

const merchantRow = (merchant: Merchant): NewRow => ({
  partner_id: merchant.partnerId,
  id: merchant.id,
  workspace_id: merchant.workspaceId,
  name: merchant.name,
  email: merchant.email,
  email_key: emailKey(merchant.email),
  country: merchant.country,
  category: merchant.category,
  invitation_hash: merchant.invitationHash,
  created_at: merchant.createdAt
})

const readStanding = (row: Row): MerchantStanding => ({
  merchant: {
    id: readText(row["id"]),
    partnerId: readText(row["partner_id"]),
    workspaceId: readText(row["workspace_id"]),
    name: readText(row["name"]),
    email: readText(row["email"]),
    country: readText(row["country"]),
    category: readTextOrNull(row["category"]),
    invitationHash: readText(row["invitation_hash"]),
    createdAt: row["created_at"] as number
  },
  suspended: row["suspended"] as boolean,
  hasLiveKey: row["has_live_key"] as boolean
})
