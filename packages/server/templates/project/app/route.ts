/** The shop's page. */
import { home } from "../shop.ts"

export const dynamic = "force-dynamic"

export const GET = (): Response => new Response(home(), { headers: { "content-type": "text/html; charset=utf-8" } })
