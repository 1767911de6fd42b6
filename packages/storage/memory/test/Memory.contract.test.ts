import { storageSuite } from "@pointsman/contracts/storage"
import { layer } from "@pointsman/storage-memory"

storageSuite("memory", layer())
storageSuite("memory, with other fibers before each write", layer({ yieldBetween: true }))
