/** What a visitor sees first: a picture whose colours are a function and its derivative. */
import { projectOf, type Project } from './project.ts'

const program = projectOf(`// The height of a wave, and how steep it is: the compiler makes the derivative.
import playground;
import rendering;

[playground::SLIDER(6.0, 1.0, 20.0)]
uniform float frequency;

[Differentiable]
float wave(float x, float k)
{
    return sin(k * x) * exp(-x * x);
}

// Train looks for the frequency at which the wave passes through the white dot.
[Differentiable]
public float loss(float frequency)
{
    float miss = wave(1.0, frequency) - 0.3;
    return miss * miss;
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
        float spot = smoothstep(0.08, 0.06, distance(p, float2(1.0, -0.3)));
        return float4(float3(line + 0.1, 0.1 + 0.5 * steep, 0.15 + steep) + spot, 1);
    });
}
`)

export const first: Project = {
  ...program,
  picks: {
    train: {
      subject: 'loss',
      parameters: ['frequency'],
      values: { frequency: 6 },
      optimizer: { kind: 'adam', rate: 0.01 },
      picture: 'draw',
    },
  },
}
