/** Mistakes about names, declarations, modules and attributes. */
import { error, warning, type Entry } from '../diag.ts'

export const undefinedName: Entry<'name'> = error('E30015', 'undefined identifier {name}', {
  help: 'declare it, import the module that does, or mend the spelling',
  example: 'float f(float x) { return x + y; }',
})

export const noMember: Entry<'name' | 'type'> = error('E30027', '{name} is not a member of {type}', {
  example: 'struct S { float a; } float f(S s) { return s.b; }',
})

export const unasked: Entry<'name' | 'type' | 'interface'> = error('E30403', '{name} is a member of {type} only where that conforms to {interface}', {
  help: 'use it in the first branch of `if ({type} is {interface})`',
  example: 'interface I { float f(); } float g<T>(T x) where optional T : I { return x.f(); } struct S : I { float f() { return 1; } } float h() { S s; return g(s); }',
})

export const noNamespaceMember: Entry<'name' | 'namespace'> = error('E30015', 'undefined identifier {name} in namespace {namespace}', {
  example: 'namespace n { static const float a = 1; } float f() { return n::b; }',
})

export const redeclared: Entry<'name'> = error('E30200', '{name} is declared already', {
  help: 'give one of the two another name',
  example: 'float f(float x) { float y = x; float y = 2; return y; }',
})

export const redefined: Entry<'name'> = error('E30201', 'function {name} already has a body', {
  help: 'give one of the two another name or other parameters',
  example: 'float f(float x) { return x; } float f(float y) { return 2 * y; }',
})

export const expectedType: Entry<'what'> = error('E30060', 'expected a type, got {what}', {
  example: 'float f(float x) { x y; return 1; }',
})

export const expectedValue: Entry<'what'> = error('E30500', 'expected a value, got {what}', {
  example: 'struct S { float a; } float f() { return S; }',
})

export const misplaced: Entry<'what' | 'where'> = error('E31206', '{what} belongs in {where}', {
  example: '__init(float x) { }',
})

export const unsupported: Entry<'feature'> = error('E50100', '{feature} is not supported yet', {
  example: 'interface I { float f(); } float g(int id, float x) { I o = createDynamicObject<I>(id, x); return o.f(); } struct S { int* p; }',
})

export const cyclic: Entry<'name'> = error('E39999', 'the definition of {name} needs itself', {
  help: 'break the circle',
  example: 'static const int A = B; static const int B = A; float f(float x[A]) { return x[0]; }',
})

export const noThis: Entry<never> = error('E38101', 'there is no this here', {
  help: 'only methods and constructors have one',
  example: 'float f() { return this.x; }',
})

export const needsObject: Entry<'name'> = error('E30100', '{name} needs an object: it is not static', {
  help: 'call or read it on a value, or declare it static',
  example: 'struct S { float a; static float f() { return a; } }',
})

export const notVisible: Entry<'name'> = error('E30600', '{name} is not accessible from here', {
  help: 'declare it public',
  example: 'struct S { private float a; } float f(S s) { return s.a; }',
})

export const noModule: Entry<'name'> = error('E00001', 'cannot open module {name}', {
  help: 'check the name, and the search path (-I)',
  example: 'import nowhere;',
})

export const unreadable: Entry<'path' | 'why'> = error('E00001', 'cannot read {path}: {why}', {
  example: { source: 'import shapes;', resolve: () => { throw new Error('the disk is gone') } },
})

export const importCycle: Entry<'name'> = error('E38200', 'module {name} imports itself', {
  example: { source: 'import a;', files: { 'a.slang': 'import b;', 'b.slang': 'import a;' } },
})

export const unknownAttribute: Entry<'name'> = warning('W31000', 'unknown attribute {name}', {
  example: '[Disc] float f(float x) { return x; }',
})

/** The largest binding, group or location: no device has as many. */
export const maxSlot = 65535
/** What those that are larger are told. */
export const slotsExpected: string = `numbers from 0 to ${maxSlot}`

export const attributeArguments: Entry<'name' | 'expected'> = error('E31001', 'attribute {name} takes {expected}', {
  example: '[numthreads(1, 2, 3, 4)] void main() { }',
})

export const groupSize: Entry<'got'> = error('E31102', 'a workgroup has at least one thread in each direction, got {got}', {
  example: '[shader("compute")] [numthreads(0, 1, 1)] void main() { }',
})

export const groupTooLarge: Entry<'limit' | 'got'> = error('E31102', 'a workgroup has at most {limit} threads, got {got}', {
  help: 'dispatch more workgroups of fewer threads',
  example: '[shader("compute")] [numthreads(64, 64, 1)] void main() { }',
})

export const unknownStage: Entry<'name'> = error('E36105', 'unknown stage {name}', {
  help: 'stages are compute, vertex and fragment',
  example: '[shader("computer")] [numthreads(1, 1, 1)] void main() { }',
})

export const tooDeep: Entry<never> = error('E39999', 'this is nested too deeply', {
  help: 'split it into parts',
  example: 'struct A<T> { typealias B = A<A<T>>.B; } float f(A<int>.B x) { return 1; }',
})

export const recursiveType: Entry<'name'> = error('E41001', 'type {name} contains itself', {
  help: 'a value cannot hold a value of its own type; hold an index instead',
  example: 'struct S { S next; float a; } float f(S s) { return s.a; }',
})

export const unresolvedExternal: Entry<'name'> = error('E45001', 'no module exports {name}', {
  help: `give it a default value, or import a module with 'export' before the definition`,
  example: 'extern static const int N; float f(float x) { return x * N; }',
})
