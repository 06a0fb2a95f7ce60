/** What a visitor sees first: a picture whose colours are a function and its derivative. */
import { projectOf, type Project } from './project.ts'

export const first: Project =
  projectOf(`// The height of a wave, and how steep it is: the compiler makes the derivative.
import playground;
import rendering;

[playground::SLIDER(6.0, 1.0, 20.0)]
uniform float frequency;

[Differentiable]
float wave(float x, float k)
{
    return sin(k * x) * exp(-x * x);
}

[shader("compute")]
[numthreads(8, 8, 1)]
[playground::CALL::SIZE_OF("outputTexture")]
void draw(uint2 pixel : SV_DispatchThreadID)
{
    drawPixel(pixel, (int2 size) =>
    {
        float2 p = (float2(pixel) + 0.5) / float2(size) * 4 - 2;
        var x = diffPair(p.x, 0.0);
        var k = diffPair(frequency, 0.0);
        bwd_diff(wave)(x, k, 1.0);
        float height = wave(p.x, frequency);
        float slope = x.d / frequency;
        float line = smoothstep(0.04, 0.0, abs(-p.y - height));
        float steep = smoothstep(0.04, 0.0, abs(-p.y - slope));
        return float4(line + 0.1, 0.1 + 0.5 * steep, 0.15 + steep, 1);
    });
}
`)
