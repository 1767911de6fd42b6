/**
 * A commit to a distributed database: a function, which the node that is asked sends whole to the node of the workspace. It
 * is made of the same parts as the statement of one database (`../CommitStatement.ts`): the same checks in the same
 * order, and the same writes.
 *
 * The rule that a reader would otherwise break: each statement of it names one table and the workspace, so that the node
 * keeps its plan. What reads two tables would be planned again each time.
 */
import type { Row } from "@pointsman/storage-sql"
import { entryKey, list, onConflictReplace } from "@pointsman/storage-sql"
import {
  apiKeyHash,
  balance,
  type Conditions,
  conditionsOf,
  isBasedOn,
  liveKey,
  placedReference,
  recoveredKey,
  refusals,
  type Stored,
  storedOf,
  unrecovered,
  when
} from "../CommitChecks.ts"
import { deliveryId, wants } from "../CommitEvents.ts"
import { makeParameters, type Parameters } from "../CommitParameters.ts"
import { arrayLiteral, type Statement } from "../CommitStatement.ts"
import {
  decidedMessage,
  type EntryName,
  entryTables,
  type Insert,
  type Move,
  metadataText,
  movedClaim,
  movedPayment,
  newClaim,
  newPayment,
  referenceColumns
} from "../CommitWrites.ts"
import type { DrawnChange, Shape } from "../DrawnChange.ts"
import { bindText, rows, type Value } from "../Rows.ts"
import { history } from "../Timeline.ts"
import { isHere, type NodeFunction, nodeFunction } from "./NodeFunction.ts"

/** A change with a claim, a message and a payment: what one lacks is null, and a new row is expected at version 0. */
const anyShape: Shape = {
  apiKey: true,
  claim: "moved",
  message: true,
  payment: "moved",
  missing: true,
  key: true,
  keepsCreated: false,
  metadata: true,
  references: 0,
  taken: 0,
  attempts: 0,
  operations: 0,
  refunds: 0,
  disputes: 0,
  evidence: 0,
  events: 0
}

const entryColumns = {
  attempts: rows.attemptColumns,
  operations: rows.operationColumns,
  refunds: rows.refundColumns,
  disputes: rows.disputeColumns,
  evidence: rows.evidenceColumns
} as const satisfies Record<EntryName, unknown>

const make = () => {
  const parameters = makeParameters("variable", "base")
  const conditions = conditionsOf(anyShape, parameters)
  const hash = apiKeyHash(parameters)
  const sums = balance(parameters, () => "<> all (refunds_written)")
  const metadata = parameters.place("json", ({ change, shape }) =>
    shape.metadata ? metadataText(change.payment.after) : null
  )
  const due = parameters.place("bigint", ({ change: { deliverAt } }) =>
    deliverAt === undefined ? null : String(deliverAt)
  )
  const body = [
    ...checks(parameters, conditions, hash, sums),
    ...gates(parameters, conditions),
    stillHere(parameters.workspace),
    ...hanging(parameters, metadata),
    ...events(parameters, due),
    "return jsonb_build_object('word', 'Sound', 'written', true);"
  ]
  const variables = parameters.types.map((type, index) => `v${index + 1} ${type} := bound[${index + 1}]::${type};`)
  const text = `declare
    ${variables.join("\n    ")}
    base bigint := oldest_base;
    word text;
    first_word text;
    live integer;
    unended_loss bigint;
    stored_claim bigint;
    stored_payment bigint;
    stored_outcome text;
    holder text;
    based integer;
    is_free boolean[] := '{}';
    is_balanced boolean;
    is_begun boolean := false;
    named record;
    pair record;
    a_attempts attempts;
    a_operations operations;
    a_refunds refunds;
    a_disputes disputes;
    a_dispute_evidence dispute_evidence;
    refunds_written text[] := array(select e ->> 'id' from jsonb_array_elements(entries -> 'refunds') as e);
    event_names text[];
    stamped text[];
    event record;
    endpoint record;
    nth integer := 0;
    place integer := 0;
    found_claim jsonb;
    found_payment jsonb;
  begin
    ${body.join("\n    ")}
  end`
  return { text, reads: parameters.reads }
}

const into = ({ rows: stored, what }: Stored, variable: string): string =>
  `select ${what} into ${variable} from ${stored};`

const checks = (parameters: Parameters, conditions: Conditions, hash: string, sums: Stored): ReadonlyArray<string> => {
  const { claimKey, claimVersion, isClaim, messageId, version } = conditions
  const stored = storedOf(conditions)
  const refuses = parameters.place("boolean", ({ change: { guard } }) => String(guard?.refusesMissing === true))
  const reference = placedReference(parameters, "named.connection_id", "named.provider_ref")
  const seen = `if ${claimKey} is not null then ${into(stored.claim, "stored_claim")} end if;
    if ${messageId} is not null then ${into(stored.message, "stored_outcome")} end if;
    ${into(stored.payment, "stored_payment")}
    word := case
      when ${hash} <> '' and live is null then 'ApiKeyRevoked'
      ${when(refusals.claimed("stored_claim"), `${claimKey} is not null and ${claimVersion} = 0`)}
      ${when(refusals.claimMoved("stored_claim", conditions), `${claimKey} is not null and ${claimVersion} > 0`)}
      ${when(refusals.messageMissing("stored_outcome"), `${messageId} is not null`)}
      ${when(refusals.messageDecided("stored_outcome", conditions), `${messageId} is not null`)}
      ${when(refusals.paymentThere("stored_payment"), `${version} = 0`)}
      ${when(refusals.paymentMoved("stored_payment", conditions), `${version} > 0`)}
      else 'Sound' end;`
  return [
    // A session of the node commits as the node is configured, unless it is told here.
    `if current_setting('synchronous_commit') not in ('on', 'remote_apply') then
      perform set_config('synchronous_commit', 'on', true);
    end if;`,
    `if current_setting('transaction_isolation') <> 'read committed' then
      raise exception 'default_transaction_isolation is not read committed on this node' using errcode = '25001';
    end if;`,
    `if has_history then base := greatest(base, ${history}); end if;`,
    `if ${hash} <> '' then ${into(liveKey(hash), "live")} end if;`,
    seen,
    `if word = 'Sound' and ${refuses} then
      ${into({ what: "number", rows: "record_losses where outcome is null" }, "unended_loss")}
      if unended_loss is not null and exists (select 1 from ${unrecovered(parameters, "unended_loss").rows}) then
        word := 'RecordsMissing';
      end if;
    end if;`,
    `if word = 'Sound' and exists (select 1 from ${recoveredKey(parameters).rows}) then word := 'KeyRecovered'; end if;`,
    `if word = 'Sound' then
      for named in select * from jsonb_to_recordset(entries -> 'references')
        as named (connection_id text, provider_ref text, is_taken boolean) loop
        ${into({ what: "r.payment_id", rows: reference.holder }, "holder")}
        is_free := is_free || (holder is null);
        if holder <> ${parameters.paymentId} then
          ${into(isBasedOn(conditions, reference), "based")}
          if based is null then word := 'ReferenceTaken'; exit; end if;
        end if;
      end loop;
    end if;`,
    `if word = 'Sound' then
      ${into(sums, "is_balanced")}
      if not is_balanced then word := 'Unbalanced'; end if;
    end if;`,
    // Each statement sees what was committed before it: of a change that came between, the first word counts.
    `if word in ('Stale', 'ReferenceTaken', 'Unbalanced') then
      first_word := word;
      ${seen}
      if word = 'Sound' then word := first_word; end if;
    end if;`,
    `if word = 'KeyTaken' then
      select to_jsonb(c) into found_claim from claims as c where ${isClaim("c")};
      select to_jsonb(p) into found_payment from payments as p where p.workspace_id = ${parameters.workspace}
        and p.environment = ${parameters.environment} and p.id = found_claim ->> 'payment_id';
    end if;`,
    `if word <> 'Sound' then
      return jsonb_build_object('word', word, 'claim', found_claim, 'payment', found_payment);
    end if;`
  ]
}

/** The first that finds another row than was seen writes nothing; a later one takes everything back. */
const afterGate = `if not found then
      if is_begun then perform came_between(); end if;
      return jsonb_build_object('word', 'Sound', 'written', false);
    end if;
    is_begun := true;`

const gates = (parameters: Parameters, conditions: Conditions): ReadonlyArray<string> => {
  const { assignments, values } = parameters
  const inserted = <A>({
    key,
    source,
    table
  }: Insert<A>) => `insert into ${table} (${list(Object.keys(source.columns))})
      values (${values(source)}) on conflict (${list(key)}) do nothing;`
  const moved = <A>({ expected, is, source, table }: Move<A>) => `update ${table} as t set ${assignments(source)}
      where ${is("t")} and t.${expected};`
  return [
    `if ${conditions.claimKey} is not null then
      if ${conditions.claimVersion} = 0 then ${inserted(newClaim(conditions))}
      else ${moved(movedClaim(conditions))} end if;
      ${afterGate}
    end if;`,
    `if ${conditions.messageId} is not null then
      ${moved(decidedMessage(conditions))}
      ${afterGate}
    end if;`,
    `if ${conditions.version} = 0 then ${inserted(newPayment(conditions))}
    else ${moved(movedPayment(conditions, false))} end if;
    ${afterGate}`
  ]
}

/**
 * A workspace may have moved to another node since this one was asked. The first write waits for a move, and holds the next
 * one up until this transaction is over. Where the workspace has moved by then, the rows would be written at its new node
 * all the same, but the ids of events would be announced at this one, where no reader looks.
 */
const stillHere = (workspace: string): string => `if not ${isHere(workspace)} then perform came_between(); end if;`

/** What hangs on the payment. */
const hanging = (parameters: Parameters, metadata: string): ReadonlyArray<string> => {
  const { environment, paymentId, workspace } = parameters
  const insertReference = (table: string) => `insert into ${table} (${referenceColumns}, reference_hash)
          values (${workspace}, ${environment}, named.connection_id, named.provider_ref, ${paymentId},
            md5(named.provider_ref))
          on conflict do nothing;`
  const entries = Object.entries(entryColumns).map(([name, columns]) => {
    const table = entryTables[name as EntryName]
    const names = Object.keys(columns)
    return `for a_${table} in select * from jsonb_populate_recordset(null::${table}, entries -> '${name}') loop
      insert into ${table} (${list(names)}) values (${list(names, `a_${table}.`)}) ${onConflictReplace(names, entryKey)};
    end loop;`
  })
  return [
    `for pair in select * from json_each_text(${metadata}) loop
      insert into payment_metadata (workspace_id, environment, payment_id, name, value)
      values (${workspace}, ${environment}, ${paymentId}, pair.key, pair.value);
    end loop;`,
    // What was free when it was asked for must be so still, or this change is taken back.
    `for named in select * from jsonb_to_recordset(entries -> 'references')
      as named (connection_id text, provider_ref text, is_taken boolean) loop
      nth := nth + 1;
      if is_free[nth] and named.is_taken then
        ${insertReference("charge_references")}
        if not found then perform came_between(); end if;
      elsif is_free[nth] then
        ${insertReference("named_references")}
      end if;
    end loop;`,
    ...entries
  ]
}

const events = ({ environment, paymentId, workspace }: Parameters, due: string): ReadonlyArray<string> => [
  `event_names := array(select e ->> 'id' from jsonb_array_elements(entries -> 'events') as e);
    if event_names <> '{}' then
      nth := 0;
      stamped := event_ids(${workspace}, ${environment}, event_names);
      for event in select * from jsonb_to_recordset(entries -> 'events')
        as event (seed text, type text, created_at bigint, data text) loop
        nth := nth + 1;
        insert into events (workspace_id, environment, id, type, payment_id, created_at, data)
          values (${workspace}, ${environment}, stamped[nth], event.type, ${paymentId}, event.created_at, event.data);
        for endpoint in select e.id from webhook_endpoints as e
          where e.workspace_id = ${workspace} and e.environment = ${environment} and ${wants("event.type")} loop
          insert into deliveries
            (workspace_id, environment, id, endpoint_id, event_id, state, failures, attempts, due_at, created_at)
            values (${workspace}, ${environment},
              ${deliveryId("event.seed", "place")},
              endpoint.id, stamped[nth], 'Due', 0, 0, coalesce(${due}, event.created_at), event.created_at);
          place := place + 1;
        end loop;
      end loop;
    end if;`
]

const made = make()

/**
 * `oldest_base`: what versions begin after in the newest history of any node; `has_history`: whether the node of the
 * workspace says which one it continues.
 */
export const commitFunction: NodeFunction = nodeFunction(
  "commit",
  "workspace text, bound text[], entries jsonb, oldest_base bigint, has_history boolean",
  made.text
)

const entriesOf = (drawn: DrawnChange) => {
  const { change, events: drawnEvents, references, shape } = drawn
  const table = (name: keyof typeof entryColumns) =>
    (change[name] ?? []).map((entry) =>
      Object.fromEntries(
        Object.entries(entryColumns[name]).map(([column, take]) => [
          column,
          column === "payment_id"
            ? bindText(change.payment.after.id)
            : (take as (entry: unknown, owner: unknown) => Value)(entry, change)
        ])
      )
    )
  return {
    references: references.map(({ connectionId, providerRef }, index) => ({
      connection_id: bindText(connectionId),
      provider_ref: bindText(providerRef),
      is_taken: index < shape.taken
    })),
    attempts: table("attempts"),
    operations: table("operations"),
    refunds: table("refunds"),
    disputes: table("disputes"),
    evidence: table("evidence"),
    events: drawnEvents.map(({ draft, id, seed }) => ({
      id,
      seed,
      type: draft.type,
      created_at: draft.createdAt,
      data: rows.bindData(draft, change)
    }))
  }
}

export interface KnownHistory {
  /** What versions begin after in the newest history that was seen. */
  readonly base: () => number
  /** Whether nodes say which history they continue. */
  readonly isTold: () => boolean
}

export const commitCall = (known: KnownHistory): Statement => ({
  sql: `select ${commitFunction.name}($1::text, $2::text[], $3::jsonb, $4::bigint, $5::boolean) as told`,
  bind: ([drawn]) =>
    drawn === undefined
      ? []
      : [
          bindText(drawn.change.tenant.workspaceId),
          arrayLiteral(made.reads.map((read) => read(drawn))),
          JSON.stringify(entriesOf(drawn)),
          String(known.base()),
          String(known.isTold())
        ],
  read: (row): Row => {
    const told = row["told"] as Row
    return {
      ...told,
      ...((told["claim"] ?? {}) as Row),
      word: told["word"],
      written: told["written"],
      payment: told["payment"] ?? null
    }
  }
})
