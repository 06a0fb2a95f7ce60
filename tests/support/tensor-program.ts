/** Kernels over tensors as people write them for PyTorch: several in a file, with parameters of the same names. */
export const tensorProgram: string = `
[AutoPyBindCUDA] [CUDAKernel] [Differentiable]
void square(DiffTensorView input, DiffTensorView output, no_diff float factor)
{
    uint3 id = cudaThreadIdx() + cudaBlockIdx() * cudaBlockDim();
    if (id.x >= input.size(0)) return;
    output[id.x] = input[id.x] * input[id.x] * factor + input.load(0);
}
[AutoPyBindCUDA] [CUDAKernel] [Differentiable]
void rows(DiffTensorView<float> input, DiffTensorView<float> output, no_diff float factor)
{
    uint3 id = cudaThreadIdx() + cudaBlockIdx() * cudaBlockDim();
    if (id.x >= input.size(0)) return;
    float sum = 0;
    for (uint j = 0; j < input.size(1); j++) sum += input[uint2(id.x, j)] * float(j + 1);
    output.storeOnce(id.x, sum * sum * factor);
}
[CUDAKernel] [Differentiable]
void deep(DiffTensorView x, DiffTensorView y)
{
    if (cudaThreadIdx().x != 0) return;
    float sum = 0;
    [MaxIters(4)] for (uint i = 0; i < x.size(2); i++) sum += x[1, 0, i, 1] * x.primal[0, 0, i, 0, 1];
    y[0] = sum * float(x.dims());
}
[CUDAKernel]
void squareBackwards(DiffTensorView x, DiffTensorView y, float factor)
{
    bwd_diff(square)(x, y, factor);
}
StructuredBuffer<float> data;
RWStructuredBuffer<float> weights;
RWStructuredBuffer<float> weightsGrad;
[Differentiable] float model(float w, no_diff float x) { return w * w * x; }
[shader("compute")] [numthreads(4, 1, 1)]
void train(uint3 id : SV_DispatchThreadID)
{
    if (id.x >= 3) return;
    var w = diffPair(weights[id.x]);
    bwd_diff(model)(w, data[id.x], 1.0);
    InterlockedAdd(weightsGrad[0], w.d);
    InterlockedAdd(weightsGrad[id.x], w.d);
}
struct Model { DiffTensorView coefficients; }
Model learned;
DiffStructuredBuffer<float> places;
[shader("compute")] [numthreads(1, 1, 1)] [Differentiable]
void polynomial(uniform DiffTensorView loss)
{
    float x = places[0];
    float sum = 0;
    for (int i = 2; i >= 0; i--) sum = sum * x + learned.coefficients[i];
    loss[0] = sum;
}
struct Net { DiffTensorView w; float k; DiffTensorView more[2]; }
ParameterBlock<Net> net;
[CUDAKernel] [Differentiable]
void blocked(DiffTensorView output)
{
    uint i = cudaThreadIdx().x;
    if (i < output.size(0)) output[i] = net.w[i] * net.k + net.more[1][i] * net.w[0];
}
[shader("compute")] [numthreads(1, 1, 1)]
void plain(uint3 id : SV_DispatchThreadID) { weights[id.x] = data[id.x]; }
`
