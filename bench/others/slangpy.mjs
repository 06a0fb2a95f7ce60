// Kernels as slangpy writes them for calls of a function: `polynomial` over tensors, and its gradients. They import slangpy's modules.

const head = mapped => `import "slangpy";
[Differentiable] float3 polynomial(float3 a, float3 b) { return a * a * b + b + 1; }
export static const int call_data_len = 1;
export static const int call_group_size = 1;
export static const int[call_data_len] call_group_strides = {};
export static const int[call_data_len] call_group_shape_vector = {};
${Object.entries(mapped)
  .map(([name, at]) => `static const int${at === null ? '' : '[]'} _m_${name} = ${at === null ? 0 : `{${at}}`};`)
  .join('\n')}
`

const block = fields => `struct CallData
{
  int[1] _grid_stride;
  int[1] _grid_dim;
  int[1] _call_dim;
  uint3 _thread_count;
${fields.map(f => `  ${f};`).join('\n')}
}
ParameterBlock<CallData> call_data;
`

const body = context => `  float3 a; float3 b; float3 result;
  call_data.a.__slangpy_load(${context}.map(_m_a), a);
  call_data.b.__slangpy_load(${context}.map(_m_b), b);
  result = polynomial(a, b);
  call_data._result.__slangpy_store(${context}.map(_m__result), result);
`

const kernel = does => `[shader("compute")]
[numthreads(32, 1, 1)]
void compute_main(int3 thread : SV_DispatchThreadID, int3 group : SV_GroupID, int inGroup : SV_GroupIndex)
{
  if (any(thread >= call_data._thread_count)) return;
  if (!init_thread_local_call_shape_info(inGroup, group, thread, call_data._grid_stride, call_data._grid_dim, call_data._call_dim)) return;
  Context context = { thread, CallShapeInfo::get_call_id().shape };
${does}}
`

export const values = [
  head({ a: 0, b: null, _result: 0 }),
  block(['Tensor<float3, 1> a', 'VectorValueType<float, 3> b', 'RWTensor<float3, 1> _result']),
  kernel(body('context')),
].join('')

export const gradients = [
  head({ a: 0, b: 0, _result: 0 }),
  block(['DiffTensor<float3, 1> a', 'DiffTensor<float3, 1> b', 'WDiffTensor<float3, 1> _result']),
  `[Differentiable] void _trampoline(Context context)\n{\n${body('context')}}\n`,
  kernel('  bwd_diff(_trampoline)(context);\n'),
].join('')
