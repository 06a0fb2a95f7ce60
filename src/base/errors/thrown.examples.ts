/** The smallest programs that get the diagnostics of `thrown.ts`; the documentation and the tests use them. */
import type { Examples } from '../diag.ts'
import type * as thrownErrors from './thrown.ts'

const start = 'enum E { bad } int f() throws E { throw E.bad; } '

export const examples: Examples<typeof thrownErrors> = {
  tryNeedsCall: 'void f(int x) { int y = try x; }',
  throwsNothing: 'int f() { return 1; } void g() { int y = try f(); }',
  uncaughtTry: `${start}void g() { int x = try f(); }`,
  mustTry: `${start}void g() { do { int x = f(); } catch { } }`,
  calleeThrowsAnother: `${start}enum F { worse } int g() throws F { return try f(); }`,
  throwInDefer: 'enum E { bad } void f() throws E { defer { throw E.bad; } }',
  tryInDefer: `${start}void g() throws E { defer { int x = try f(); } }`,
  uncaughtThrow: 'enum E { bad } void f() { throw E.bad; }',
  throwsAnother: 'enum E { bad } enum F { worse } void f() throws E { throw F.worse; }',
  throwingDerivative:
    'enum E { bad } [Differentiable] float f(float x) throws E { return x; } float g(float x) { return fwd_diff(f)(diffPair(x, 1.0)).d; }',
  throwingEntry: 'enum E { bad } [shader("compute")] [numthreads(1, 1, 1)] void main1() throws E { throw E.bad; }',
  throwingLeftOut: 'enum E { bad } public float f(float x) throws E { throw E.bad; }',
}
