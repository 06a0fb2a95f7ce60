/** The smallest programs that get the diagnostics of `opt.ts`; the documentation and the tests use them. */
import type { Examples } from '../diag.ts'
import type * as optErrors from './opt.ts'

export const examples: Examples<typeof optErrors> = {
  unrollForever: `RWStructuredBuffer<float> data;
[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float x = 1;
    [ForceUnroll]
    for (uint i = 0; i < id.x; i++) x *= 2;
    data[0] = x;
}
`,
}
