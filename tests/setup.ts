/** Tests that go past the public library compile for targets without elementary functions too. */
import { addElementary } from '../src/check/elementary.ts'

addElementary()
