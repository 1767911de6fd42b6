/** The finished connector of the fixture passes the suite; `NewConnector.test.ts` says what it is for. */
import "../../../scripts/new-connector/fixture/test/pocket-pay.contract.test.ts"
