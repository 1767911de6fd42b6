/** Payments over many nodes: what is about one workspace is asked of its node, and the rest of each node. */
import { Ledger } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import type { LedgerOptions } from "../Commit.ts"
import type { Database } from "../Database.ts"
import { selectDueDisputes } from "../Disputes.ts"
import { make as makePlain, readOldClaim, selectEvents, selectPageOwner, selectReviews } from "../Ledger.ts"
import { selectMessages } from "../Messages.ts"
import { forgetClaimsOf, selectOldClaims } from "../OldClaims.ts"
import { bindText, rows } from "../Rows.ts"
import { allWorkspaces } from "./ByWorkspace.ts"
import { commitCall, type KnownHistory } from "./CommitFunction.ts"
import { dueOnNodes, takeDueOnNodes, watchedOnNodes } from "./DueChecks.ts"
import { eraseOnNode } from "./Erasure.ts"
import { nodeHorizon } from "./Horizon.ts"
import { columnsOf, merged } from "./Merged.ts"
import type { NodeReads } from "./NodeReads.ts"

export const make = Effect.fnUntraced(function* (
  db: Database,
  nodes: NodeReads,
  known: KnownHistory,
  options: LedgerOptions
) {
  const plain = yield* makePlain(db, { ...options, call: commitCall(known), namesTenant: true })
  const ofPage = (tokenHash: string) => nodes.found("paymentOfPage", selectPageOwner, [bindText(tokenHash)])
  return Ledger.of({
    ...plain,
    commit: (change) => {
      const { after, expected } = change.payment
      if (expected > 0 || after.hosted === null) return plain.commit(change)
      // The index of a node knows the pages of its own workspaces.
      return Effect.flatMap(ofPage(after.hosted.tokenHash), ({ rows: found }) =>
        found.every((row) => row["id"] === after.id)
          ? plain.commit(change)
          : Effect.die(new Error("Ledger.commit: another payment has the token of this page"))
      )
    },
    events: (tenant, query) =>
      Effect.flatMap(nodeHorizon(db, "events", tenant), (end) =>
        Effect.map(db.read("events", ...selectEvents(tenant, query, end)), (found) => found.map(rows.readEvent))
      ),
    messages: (query) => {
      const isSearch = query.namesAttemptFrom !== undefined
      if (query.tenant !== undefined && !isSearch) return plain.messages(query)
      // What is searched for is applied, and searched for again: a node that is down does not hold up the others. A list
      // leaves nothing out.
      const read = isSearch ? nodes.some : nodes.all
      return Effect.map(read("messages", ...selectMessages(query)), (found) =>
        merged(found, columnsOf("received_at", "connection_id", "event_id"), query.limit, true).map(
          rows.readTenantMessage
        )
      )
    },
    paymentOfPage: (tokenHash) =>
      Effect.flatMap(ofPage(tokenHash), ({ failure, rows: [row] }) =>
        row === undefined && failure !== undefined
          ? Effect.fail(failure)
          : Effect.succeed(Option.map(Option.fromUndefinedOr(row), rows.readPayment))
      ),
    // What is due at a node that is down waits for it.
    dueDisputes: (query) =>
      Effect.map(nodes.some("dueDisputes", ...selectDueDisputes(query)), (found) =>
        merged(found, columnsOf("check_at", "id"), query.limit).map(rows.readDueDispute)
      ),
    takeDue: (query) => takeDueOnNodes(db, nodes, query),
    dueByConnection: (query) => dueOnNodes(nodes, query),
    watched: (limit) => watchedOnNodes(nodes, limit),
    reviews: (query) =>
      query.tenant !== undefined
        ? plain.reviews(query)
        : Effect.map(nodes.all("reviews", ...selectReviews(query)), (found) =>
            merged(
              found,
              query.byAmount === undefined
                ? columnsOf("review_since", "id")
                : (row) => [row["currency"] as string, -Number(row["amount_minor"]), row["id"] as string],
              query.limit
            ).map(rows.readPayment)
          ),
    oldClaims: (query) =>
      Effect.map(nodes.some("oldClaims", ...selectOldClaims(query)), (found) =>
        merged(found, columnsOf("claimed_at", "workspace_id", "environment", "key"), query.limit).flatMap(readOldClaim)
      ),
    forgetClaims: (claims) =>
      Effect.map(
        allWorkspaces(
          claims,
          ({ tenant }) => tenant.workspaceId,
          (workspace, some) => forgetClaimsOf(db, workspace, some)
        ),
        (counts) => counts.reduce((all, count) => all + count, 0)
      ),
    eraseTexts: (tenant, erasure) => eraseOnNode(db, tenant, erasure)
  })
})
