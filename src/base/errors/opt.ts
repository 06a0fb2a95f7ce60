import { error, type Entry } from '../diag.ts'

/** A `[ForceUnroll]` loop whose end cannot be computed. */
export const unrollForever: Entry<'limit'> = error(
  'E40020', 'loop does not end within {limit} trips that can be computed, so it cannot be unrolled', {
    help: 'let start, limit and step be constants, or use [MaxIters(n)] in place of [ForceUnroll]',
    example: `RWStructuredBuffer<float> data;
[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float x = 1;
    [ForceUnroll]
    for (uint i = 0; i < id.x; i++) x *= 2;
    data[0] = x;
}
`,
  })
