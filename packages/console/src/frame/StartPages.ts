/** Pages that lead to others. */
import { Effect } from "effect"
import { pathOfChoice } from "./Navigation.ts"
import { type Answer, page } from "./Page.ts"

export const startPages = [
  page("GET", "/", "signedIn", () => Effect.succeed<Answer>({ redirect: "/day" })),
  page("GET", "/go", "signedIn", ({ query }) => Effect.succeed<Answer>({ redirect: pathOfChoice(query) }))
]
