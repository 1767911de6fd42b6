/** Follows `GET /events` as an integration does that polls: from the last id that it has, whatever server is there. */
import { onTestFinished } from "vitest"
import type { EventShown } from "./Evidence.ts"

const beforeAll = "evt_00000000-0000-0000-0000-000000000000"
const restMillis = 50

/** `isExcused`: whether what was asked at a time (epoch milliseconds) and failed with a 5xx was to be expected. */
export const followEvents = (
  target: () => string | undefined,
  apiKey: string,
  isExcused: (askedAt: number) => boolean = () => false
) => {
  /** In the order in which they came. */
  const followed: Array<EventShown> = []
  /** Answers other than 200. */
  const refused: Array<string> = []
  let isOver = false
  onTestFinished(() => {
    isOver = true
  })

  const page = async (): Promise<ReadonlyArray<EventShown>> => {
    const url = target()
    if (url === undefined) return []
    const after = followed.at(-1)?.id ?? beforeAll
    const askedAt = Date.now()
    try {
      const answer = await fetch(`${url}/api/v1/events?after=${after}&limit=100`, {
        headers: { authorization: `Bearer ${apiKey}` }
      })
      const body = (await answer.json()) as { readonly data: ReadonlyArray<EventShown> }
      if (answer.status === 200) return body.data
      if (answer.status < 500 || !isExcused(askedAt)) refused.push(`${answer.status} ${JSON.stringify(body)}`)
    } catch {
      // The server was killed.
    }
    return []
  }

  const follow = async () => {
    while (!isOver) {
      const events = await page()
      followed.push(...events)
      if (events.length === 0) await new Promise((resolve) => setTimeout(resolve, restMillis))
    }
  }
  void follow()
  return { followed, refused }
}
