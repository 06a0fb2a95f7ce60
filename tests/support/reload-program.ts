/** Kernels that read resources in loops without a bound. What the derivative does not write it reads again, so that a GPU keeps nothing. */
export const reloadProgram: string = `
// Strides, offsets and nested loops.
[CUDAKernel] [Differentiable]
void nested(DiffTensorView weights, DiffTensorView input, DiffTensorView output)
{
    uint k = cudaThreadIdx().x;
    if (k >= output.size(0)) return;
    float sum = 0.0;
    for (uint i = 0; i < weights.size(0); i++)
        for (uint j = 0; j < weights.size(1); j++)
            sum += sin(weights[i, j] * input[j]) * float(i + k + 1);
    output[k] = sum * sum;
}

// Views in structs, through functions, and a kernel that asks for the derivative itself.
struct Layer
{
    DiffTensorView weights;
    DiffTensorView bias;
    [Differentiable] float row(DiffTensorView x, uint i)
    {
        float sum = bias[i];
        for (uint j = 0; j < x.size(0); j++) sum += weights[i, j] * x[j] * x[j];
        return sum;
    }
}
[Differentiable] float twice(Layer layer, DiffTensorView x, uint i) { return layer.row(x, i) * layer.row(x, 0); }
[Differentiable]
void apply(Layer layer, DiffTensorView x, DiffTensorView y, no_diff uint i)
{
    float sum = 0.0;
    for (uint k = 0; k <= i; k++) sum += exp(-0.1 * twice(layer, x, k));
    y[i] = sum;
}
[CUDAKernel] [Differentiable]
void structs(Layer layer, DiffTensorView x, DiffTensorView y)
{
    uint i = cudaThreadIdx().x;
    if (i < y.size(0)) apply(layer, x, y, i);
}
[CUDAKernel]
void ownStructs(Layer layer, DiffTensorView x, DiffTensorView y)
{
    uint i = cudaThreadIdx().x;
    if (i < y.size(0)) bwd_diff(apply)(layer, x, y, i);
}

// Buffers, and another buffer that is written in the loop.
struct Splat : IDifferentiable { float2 centre; float size; }
DiffStructuredBuffer<Splat> splats;
RWStructuredBuffer<float> seen;
uniform uint count;
[CUDAKernel] [Differentiable]
void buffers(DiffTensorView output)
{
    uint k = cudaThreadIdx().x;
    if (k >= output.size(0)) return;
    float sum = 0.0;
    for (uint i = 0; i < count; i++)
    {
        Splat s = splats[i];
        float2 d = (float2(k, 1.0) - s.centre) / s.size;
        sum += exp(-0.1 * dot(d, d));
        seen[i] = 1.0;
    }
    output[k] = sum;
}

// Texels.
DiffTexture2D<float> picture;
[CUDAKernel] [Differentiable]
void texels(DiffTensorView output)
{
    uint k = cudaThreadIdx().x;
    if (k >= output.size(0)) return;
    float sum = 0.0;
    for (uint i = 0; i < count; i++) sum += picture.Load(int3(int(i), int(k), 0)) * picture.Load(int3(int(i), 0, 0));
    output[k] = sum;
}

// A number of trips that loops in a loop count.
[CUDAKernel] [Differentiable]
void counted(DiffTensorView weights, DiffTensorView output)
{
    uint thread = cudaThreadIdx().x;
    if (thread >= output.size(0)) return;
    float sum = 0.0;
    for (uint i = 0; i < weights.size(0); i++)
    {
        uint n = thread;
        for (uint j = 0; j < i + count; j++)
            for (uint k = 0; k < j; k++) if ((k ^ j) % 3 != 0) n++;
        for (uint j = 0; j < n; j++) sum += sin(weights[j % weights.size(0)] * weights[i]);
    }
    output[thread] = sum * 0.1;
}

// What was read is overwritten: by the kernel itself, in a function, and through another parameter.
void clear(TensorView<float> view, uint i) { view[i] = 0.25; }
[CUDAKernel] [Differentiable]
void inPlace(DiffTensorView state, DiffTensorView output)
{
    if (cudaThreadIdx().x > 0) return;
    float sum = 0.0;
    [MaxIters(4)] for (uint j = 0; j < state.size(0); j++)
    {
        float s = state[j];
        sum += s * s * s;
        clear(state.primal, j);
    }
    output[0] = sum;
}
[Differentiable]
void overwrite(DiffTensorView from, DiffTensorView to, DiffTensorView output)
{
    float sum = 0.0;
    [MaxIters(4)] for (uint j = 0; j < from.size(0); j++)
    {
        float s = from[j];
        sum += s * s * s;
        clear(to.primal, j);
    }
    output[0] = sum;
}
[CUDAKernel]
void sameTwice(DiffTensorView state, DiffTensorView output)
{
    if (cudaThreadIdx().x == 0) bwd_diff(overwrite)(state, state, output);
}
`
