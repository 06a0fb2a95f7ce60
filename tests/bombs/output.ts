/** Bombs of many things times many things: what each of many functions, uses or trips needs of each of many others, and of much code for few words. */
import { fill, kernel, nest, times, type Bombs } from './recipe.ts'

const room = 'x'.repeat(400)
const entry = (name: string, body: string, threads = '1, 1, 1'): string =>
  `[shader("compute")] [numthreads(${threads})] void ${name}(uint3 id : SV_DispatchThreadID) { ${body} }\n`
const diff = (body: string, before = ''): string =>
  `${before}\n[Differentiable] public float f(float x, int n) { ${body} }\n`
/** A struct of `inner` times `outer` floats. */
const wide = (inner: number, outer: number, is = ''): string =>
  `struct A${is} { ${times(inner, i => `float x${i};`)} } struct B${is} { ${times(outer, i => `A a${i};`)} }\n`

export const outputBombs: Bombs = {
  // What each function needs of each global, texture or other function.
  'exports times globals with initial values': () =>
    `${times(700, i => `static float g${i} = sin(${i});\n`)}float all() { return ${times(700, i => `g${i}+`)} 0; }\n${times(500, i => `public float f${i}(float x) { return x * all(); }\n`)}`,
  'exports times arrays with initial values': () =>
    `${times(60, i => `static float g${i}[4096] = { ${i}, 2, 3 };\n`)}float all(int k) { return ${times(60, i => `(g${i}[k] += 1)+`)} 0; }\n${times(500, i => `public float f${i}(int k) { return all(k); }\n`)}`,
  'kernels times globals with initial values': () =>
    `RWStructuredBuffer<float> o;\n${times(500, i => `static float g${i} = o[${i}];\n`)}void all() { o[0] = ${times(500, i => `g${i}++ +`)} 0; }\n${times(250, i => entry(`m${i}`, 'all();'))}`,
  'kernels with barriers times globals': () =>
    `RWStructuredBuffer<float> o; groupshared float s[8];\n${times(400, i => `static float g${i} = ${i};\n`)}void all() { o[0] = ${times(400, i => `g${i}++ +`)} 0; }\n${times(200, i => entry(`m${i}`, 'all(); GroupMemoryBarrierWithGroupSync(); all(); s[id.x] = 1;', '8, 1, 1'))}`,
  'kernels times groupshared arrays': () =>
    `RWStructuredBuffer<float> o;\n${times(300, i => `groupshared float s${i}[64];\n`)}void all(uint i) { ${times(300, i => `s${i}[i]+=1;`)} GroupMemoryBarrierWithGroupSync(); o[i] = s0[i]; }\n${times(250, i => entry(`m${i}`, 'all(id.x);', '64, 1, 1'))}`,
  'kernels times buffers times functions': () =>
    `${times(200, i => `RWStructuredBuffer<float> b${i};\n`)}${times(200, i => `void f${i}(uint k) { b${i}[k] += ${i}; ${i === 0 ? '' : `f${i - 1}(k); f${i >> 1}(k);`} }\n`)}${times(200, i => entry(`m${i}`, `f${199 - (i % 7)}(id.x);`))}`,
  'functions that all call all': () =>
    `${times(160, i => `float f${i}(float x) { return x > 0 ? ${times(35, k => `f${(i * 7 + k * 11) % 160}(x-${k})+`)} 0 : x; }\n`)}public float g(float x) { return f0(x); }`,
  'functions that call all before': () =>
    `${times(150, i => `float f${i}(float x) { return sin(x)${times(Math.min(i, 40), k => `+f${i - 1 - k}(x)`)}; }\n`)}public float g(float x) { return f149(x); }`,
  'functions that call all before, differentiated': () =>
    `${times(120, i => `[Differentiable] float f${i}(float x) { return sin(x)${times(Math.min(i, 30), k => `+f${i - 1 - k}(x)`)}; }\n`)}[Differentiable] public float g(float x) { return f119(x); }`,
  '400 textures sampled by samplers': () =>
    `${times(400, i => `Texture2D t${i}; SamplerState s${i};\n`)}${kernel(times(400, i => `o[${i}] = t${i}.SampleLevel(s${i}, float2(o[${i}], 1), 1).x;\n`))}`,
  'one texture sampled as often as fits': () =>
    `Texture2D t; SamplerState s;\n${kernel(fill(i => `o[${i}]=t.SampleLevel(s,o[${i}],1).x;`, room))}`,
  'one texture sampled as often as fits, differentiated': () =>
    diff(`${fill(() => 'x+=t.SampleLevel(s,x,x).x;', room)} return x;`, 'Texture2D t; SamplerState s;'),
  'textures chosen by functions that double': () =>
    `Texture2D t; SamplerState s;\nfloat f0(Texture2D t, SamplerState s, float x) { return t.SampleLevel(s, x, x).x; }\n${times(16, i => `float f${i + 1}(Texture2D t, SamplerState s, float x) { return f${i}(t, s, x) + f${i}(t, s, x + 1); }\n`)}${kernel('o[0] = f16(t, s, o[1]);')}`,
  'functions times textures': () =>
    `${times(150, i => `Texture2D t${i};\n`)}SamplerState s;\nfloat f(Texture2D t, float x) { for (int i = 0; i < 9; i++) { if (x > i) x += t.SampleLevel(s, x, i).x; else x -= t.Load(int3(i, i, 0)).x; } return x; }\n${kernel(times(600, i => `o[${i}] = f(t${i % 150}, o[${i}]);\n`))}`,
  'textures loaded and stored': () =>
    `${times(200, i => `RWTexture2D<float4> t${i};\n`)}${kernel(times(900, i => `t${i % 200}[id.xy] = t${(i * 7) % 200}[id.yx] + ${i};\n`))}`,
  'writes through functions of buffers': () =>
    `${times(300, i => `RWStructuredBuffer<float> b${i};\n`)}void w(RWStructuredBuffer<float> a, RWStructuredBuffer<float> b) { for (int i = 0; i < 9; i++) { a[i] += b[i]; b[i] = sin(a[i]); } }\n${kernel(times(900, i => `w(b${i % 300}, b${(i * 7) % 300});\n`))}`,

  // Large values.
  'a large struct returned from many places': () =>
    `${wide(63, 64)}B f(B a, B b, int n) { ${times(300, i => `if (n == ${i}) return b;`)} return a; }\npublic float g(B a, B b, int n) { return f(a, b, n).a7.x7; }`,
  'a large struct chosen again and again': () =>
    `${wide(63, 64)}public float g(B a, B b, int n) { B c = a; ${times(900, i => `c = n > ${i} ? b : c;`)} return c.a1.x1; }`,
  'a large struct changed one field after the other': () =>
    `${wide(63, 64)}B set(B b, float x) { ${times(1500, i => `b.a${i % 100}.x${(i * 7) % 100} = x;`)} return b; }\npublic B g(B b, float x) { return set(b, x); }`,
  'a large struct in arrays': () =>
    `${wide(60, 60)}public float g(B b[64], int i) { B c[64] = b; ${times(400, k => `c[i + ${k}] = c[i * ${k}];`)} return c[i].a7.x7; }`,
  'a large struct through many calls': () =>
    `${wide(80, 80)}${times(100, i => `[noinline] B f${i}(B b, float x) { ${i === 0 ? '' : `b = f${i - 1}(b, x); b = f${i >> 1}(b, x);`} b.a${i % 80}.x7 += x; return b; }\n`)}public float g(B b) { return f99(b, 2).a1.x1; }`,
  'a large struct in a buffer, copied often': () =>
    `${wide(63, 64)}RWStructuredBuffer<B> bs;\n${kernel(times(1500, i => `bs[${i}]=bs[${i * 3 + 1}];`))}`,
  'a large struct, loaded often by its parts': () =>
    `${wide(63, 64)}RWStructuredBuffer<B> bs;\n${kernel(times(1200, i => `{ B b = bs[${i}]; o[${i}] = b.a7.x${i % 100}; bs[${i + 1}] = b; }`))}`,
  'a large struct as uniform and constant buffer': () =>
    `${wide(63, 64)}ConstantBuffer<B> c; uniform B u;\nfloat sum(B b) { return b.a1.x1 + b.a2.x2; }\n${kernel(times(900, i => `{ B b = u; if (o[${i}] > 1) b = c; o[${i}] = sum(b); }`))}`,
  'a large struct, differentiated through calls': () =>
    `${wide(60, 60, ' : IDifferentiable').replaceAll('A : IDifferentiable a', 'A a')}${times(80, i => `[Differentiable] B f${i}(B b) { ${i === 0 ? '' : `b = f${i - 1}(b);`} b.a${i % 60}.x7 *= b.a1.x${i % 60}; return b; }\n`)}[Differentiable] public float g(B b) { return f79(b).a1.x1; }`,
  'matrices in large structs, copied': () =>
    `struct A { ${times(100, i => `float4x4 m${i};`)} }\nRWStructuredBuffer<A> a;\n${kernel(times(900, i => `a[${i}]=a[${i + 1}]; o[${i}] = a[${i}].m7[1][2];`))}`,
  'large arrays of arrays, assigned': () =>
    `public float f(float a[64][64][64], int i) { float b[64][64][64] = a; ${times(1200, k => `b[i + ${k}] = a[${k % 64}];`)} return b[i][i][i]; }`,
  'large arrays compared by elements, differentiated': () =>
    diff(
      `float a[4096]; for (int i = 0; i < 4096; i++) a[i] = x * i; ${times(200, i => `a[n + ${i}] = a[n * ${i}] * x;`)} return a[n];`,
    ),
  'arrays of every length': () =>
    kernel(
      `float s = 0; ${times(700, i => `{ float a[${i * 97 + 3}] = {}; a[int(o[${i}])] = ${i}; s += a[int(o[1])]; }\n`)} o[0] = s;`,
    ),
  'dispatch among large types': () =>
    `interface I { float v(int i); }\n${times(100, i => `struct S${i} : I { float a[${i * 100 + 1}]; float4x4 m; float v(int i) { return a[i] + m[i][i]; } }\n`)}float run(I x, int i) { return x.v(i) + x.v(i + 1); }\n${kernel(`${times(100, i => `{ S${i} s = {}; o[${i}] = run(s, ${i}); }\n`)}`)}`,
  'dispatch among many types, called often': () =>
    `interface I { float v(float x); }\n${times(200, i => `struct S${i} : I { float a; float v(float x) { return x * a + sin(${i}); } }\n`)}${kernel(`I i = createDynamicObject<I, float>(uint(o[1]), 1.0); float x = 0; ${times(300, () => 'x += i.v(x);')} o[0] = x;`)}`,
  'dispatch among types of dispatch, in arrays': () =>
    `interface I { float v(); }\n${times(60, i => `struct S${i} : I { float a[${i + 1}]; float v() { return a[0]; } }\n`)}struct T { I i[16]; I j[16]; }\n${kernel(`T t; ${times(16, i => `{ S${i} s = {}; t.i[${i}] = s; t.j[${i}] = s; }`)} T u = t; float x = 0; for (int k = 0; k < 16; k++) x += u.i[k].v() + t.j[k].v(); o[0] = x;`)}`,

  // Derivatives.
  'reverse derivatives of reverse derivatives': () =>
    `[Differentiable] float f(float x, float y) { return sin(x * y) * exp(x) / (1 + y * y); }\n${times(6, i => `[Differentiable] float g${i}(float x, float y) { var p = diffPair(x); var q = diffPair(y); bwd_diff(${i === 0 ? 'f' : `g${i - 1}`})(p, q, x); return p.d * q.d; }\n`)}${kernel('o[0] = g5(o[1], o[2]);')}`,
  'a reverse derivative of a switch that falls through': () =>
    diff(`switch (n) { ${fill(i => `case ${i}: x *= x;\n`, room)} } return x;`),
  'a reverse derivative of a switch that falls through into loops': () =>
    diff(
      `switch (n) { ${times(120, i => `case ${i}: [MaxIters(4)] for (int i = 0; i < n; i++) x *= sin(x);\n`)} } return x;`,
    ),
  'a reverse derivative of many globals': () =>
    diff(
      `${times(700, i => `x += g${i} * x;`)} return x;`,
      times(700, i => `static float g${i} = ${i};\n`),
    ),
  'reverse derivatives of many functions of many parameters': () =>
    times(
      40,
      k =>
        `[Differentiable] public float f${k}(${times(80, i => `float a${i},`)} float z) { return z${times(80, i => `*a${i}`)}; }\n`,
    ),
  'reverse derivatives of matrices in loops': () =>
    diff(
      'float4x4 m = x; [MaxIters(64)] for (int i = 0; i < n; i++) { m = mul(m, transpose(m)) + m * x; m = mul(mul(m, m), m); } return determinant(m);',
    ),
  'reverse derivatives of loops with many arrays': () =>
    diff(
      `${times(60, i => `float a${i}[64];\n for (int i = 0; i < 64; i++) a${i}[i] = x * i;\n`)} [MaxIters(64)] for (int i = 0; i < n; i++) { ${times(60, i => `a${i}[i] = a${(i + 1) % 60}[i] * sin(a${(i + 7) % 60}[n]);`)} } return a0[n];`,
    ),
  'reverse derivatives of breaks and continues': () =>
    diff(
      `[MaxIters(16)] for (int i = 0; i < n; i++) { ${times(150, i => `if (x > ${i}) { x *= sin(x); if (x < ${i}) break; } else if (x < -${i}) continue;\n`)} } return x;`,
    ),
  'reverse derivatives of early returns in loops': () =>
    diff(
      `[MaxIters(16)] for (int i = 0; i < n; i++) { ${times(250, i => `if (x > ${i}) return x * ${i}; x *= x;\n`)} } return x;`,
    ),
  'reverse derivatives of lambdas in lambdas': () =>
    diff(
      `let f0 = (float y) => y * x; ${times(200, i => `let f${i + 1} = (float y) => f${i}(y) * x;`)} return f200(x);`,
    ),
  'loops with MaxIters in each other': () =>
    diff(
      `${times(6, i => `[MaxIters(${i + 3})] for (int i${i} = 0; i${i} < n; i${i}++) { x = sin(x) * i${i}; float y${i} = x;`)} x *= x; ${times(6, i => `x += y${5 - i} * x; }`)} return x;`,
    ),
  'loops with MaxIters in each other, many times': () =>
    diff(
      `${times(30, () => `${times(4, i => `[MaxIters(4)] for (int i${i} = 0; i${i} < n; i${i}++) {`)} x *= sin(x); ${'}'.repeat(4)}\n`)} return x;`,
    ),
  'loops with checkpoints in each other': () =>
    diff(
      `${times(4, i => `[MaxIters(100)] [Checkpoints(3)] for (int i${i} = 0; i${i} < n; i${i}++) { x += i${i};`)} x *= sin(x); ${'}'.repeat(4)} return x;`,
    ),
  'arrays carried in loops, differentiated': () =>
    diff(
      'float a[256]; for (int i = 0; i < 256; i++) a[i] = x; [MaxIters(1000)] for (int i = 0; i < n; i++) { float b[256] = a; for (int k = 0; k < 256; k++) a[k] = b[255 - k] * sin(b[k]); } return a[7];',
    ),

  // Expressions, statements and text.
  'a chain of ands and ors of conditions': () =>
    kernel(
      `bool b = ${fill(i => `(o[${i}]>1?o[1]>2:o[2]>3)${i % 2 === 0 ? '&&' : '||'}`, room)} true; o[0] = b ? 1 : 0;`,
    ),
  'a chain of conditions, of calls with effects': () =>
    `RWStructuredBuffer<float> o;\nbool g(int i) { o[i] += 1; return o[i] > 2; }\n${entry('main', `o[0] = ${fill(i => `g(${i})?${i}:`, room)} 0;`)}`,
  'conditions of ands in ifs': () =>
    kernel(nest('if (o[0] > 1 && o[1] < 2 || o[3] > 4) {', 'o[0] = 1;', '} else o[1] += 1;', room)),
  'printf as often as fits': () => kernel(fill(i => `printf("%f", o[${i}]);`, room)),
  'printf of many values': () =>
    kernel(fill(() => `printf("%f %f %f %f %f %f %f %f", o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7]);`, room)),
  'printf of one long text': () => kernel(`for (int i = 0; i < 9; i++) printf("${'x'.repeat(62000)}%d", i);`),
  'swizzles of swizzles, assigned': () =>
    kernel(
      `float4 v = o[0]; ${fill(i => `v.${['xyzw', 'wzyx', 'yxwz', 'zwxy'][i & 3]}.${['zx', 'yw'][i & 1]} += v.${['xx', 'wy'][i & 1]};`, room)} o[0] = v.x;`,
    ),
  'matrices by swizzles': () =>
    kernel(
      `float4x4 m = o[0]; ${fill(i => `m._m${i & 3}1_m2${i & 3}=m._m${(i + 1) & 3}0_m3${i & 3};`, room)} o[0] = m[1][1];`,
    ),
  'matrices by computed rows': () =>
    kernel(
      `float4x4 m = o[0]; ${fill(i => `m[int(o[${i}])&3][int(o[1])&3]+=m[int(o[2])&3][1];`, room)} o[0] = m[1][1];`,
    ),
  'vectors of doubles and halves, converted': () =>
    kernel(`float4 v = o[0]; ${fill(() => 'v=float4(half4(int4(v)))+float4(uint4(v));', room)} o[0] = v.x;`),
  'integers of 64 bits': () =>
    kernel(`int64_t v = int64_t(o[0]); ${fill(i => `v=v*v+${i}LL/(v|1);`, room)} o[0] = float(v);`),
  'library functions of every kind': () =>
    kernel(
      `float3 v = o[0]; ${fill(() => 'v=refract(v,reflect(v,v),1.5)+normalize(cross(v,v))*smoothstep(v,v+1,v)+fmod(v,3)+frac(pow(v,v));', room)} o[0] = v.x;`,
    ),
  'many overloads, called often': () =>
    `${times(100, i => `struct T${i} { float x; } float f(T${i} a, float b) { return b; } float f(float b, T${i} a) { return b; }\n`)}${kernel(`${times(100, i => `T${i} t${i} = {};`)} ${times(900, i => `o[${i}]=f(t${i % 100},f(1,t${(i * 7) % 100}));`)}`)}`,
  'generic methods of many types': () =>
    `${times(60, i => `struct T${i} { float x; float get<U>(U u) { return x; } }\n`)}float call<T, U>(T t, U u) { return 1; }\n${kernel(times(60, i => `{ T${i} t = {}; ${times(8, k => `o[${i}]+=t.get(${['1', '1.0', 'true', '1u', 'float2(1)', 'int2(1)', 'o[1]', 't'][k]})+call(t,${['1', '1.0', 'true', '1u', 'float2(1)', 'int2(1)', 'o[1]', 't'][k]});`)} }\n`))}`,
  'unrolled loops of calls that are inlined': () =>
    `[ForceInline] float g(float x) { ${times(40, i => `x = sin(x) * ${i}; if (x > ${i}) x += 1;`)} return x; }\n${kernel('float x = o[0]; [ForceUnroll] for (int i = 0; i < 400; i++) x = g(x); o[0] = x;')}`,
  'unrolled loops, each of many trips': () =>
    kernel(fill(() => '[unroll] for (int i = 0; i < 64; i++) o[i] += sin(o[i + 1]);', room)),
  'unrolled loops of switches, differentiated': () =>
    diff(
      `[ForceUnroll] for (int i = 0; i < 32; i++) { switch (n + i) { ${times(20, i => `case ${i}: x *= sin(x * ${i}); break;`)} } } return x;`,
    ),
  'comments in lines': () => fill(() => '// \n/**/'),
  'documentation before each declaration': () => fill(i => `/** ${'x'.repeat(40)} */ int a${i};\n`),
  'lines that end in all ways': () => `int a;${'\r\n\r\n\n\r\u2028\\\r\n'.repeat(8000)}int b;`.slice(0, 65000),
}
