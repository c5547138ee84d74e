"""The ways out that findings in FX graphs name, tried with the dynamo exporter: each call is refused or comes out wrong as its
finding says, and what the finding says to write instead exports, runs, and is what PyTorch computes.

    ways_out_dynamo.py OUT.tsv     run by the Python of torch 2.14 with onnxscript and onnxruntime

The findings were chosen by chance among the different ones of `check` on the operator database and on random samples and chains
of it (opset 18). A row of WAYS: what it is about, the call, its way out, tensors; x, y and z are the tensors.
OUT gets the number, what it is about, what becomes of the call and of the way out, and whether both are the same in PyTorch.
"""
import sys
import warnings

import make_outcomes as outcomes
from samples import Call

import torch
import torch.nn.functional as F

A, r = torch.ops.aten, torch.randn
torch.manual_seed(0)


def n(*sizes):
    """Small integers."""
    return torch.randint(0, 5, sizes)


WAYS = """
sdpa bf16 | F.scaled_dot_product_attention(x.bfloat16(),y.bfloat16(),z.bfloat16()).float() | F.scaled_dot_product_attention(x.bfloat16().float(),y.bfloat16().float(),z.bfloat16().float()) | r(1,2,4,8),r(1,2,4,8),r(1,2,4,8)
heaviside short | torch.heaviside(x,y) | torch.heaviside(x.float(),y.float()).short() | n(5,5).short()-2,n(5,5).short()
topk byte | x.topk(1)[0] | x.float().topk(1)[0].byte() | n(5).byte()
sort bool | x.sort()[0] | x.float().sort()[0].bool() | n(5)>2
clamp byte | x.clamp(1) | x.float().clamp(1).byte() | n(6,6).byte()
max char | torch.max(x,y) | torch.max(x.float(),y.float()).char() | n(3).char(),n(3).char()
softmax bf16 | x.bfloat16().softmax(0).float() | x.bfloat16().float().softmax(0) | r(5,3)
bmm bf16 | torch.bmm(x.bfloat16(),y.bfloat16()).float() | torch.bmm(x.bfloat16().float(),y.bfloat16().float()) | r(2,3,3),r(2,3,3)
acos double | x.acos() | x.float().acos().double() | torch.rand(3).double()
clamp_min bf16 | x.bfloat16().clamp_min(0).float() | x.bfloat16().float().clamp_min(0) | r(5)
add bool | x+y | (x.float()+y.float()).bool() | n(5)>2,n(5)>2
minimum short | torch.minimum(x,y) | torch.minimum(x.float(),y.float()).short() | n(3).short(),n(3).short()
mul 0.5 | x*0.5 | x.float()*0.5 | n(3,4)
vector_norm rank0 | torch.linalg.vector_norm(x,0.0,[0]) | torch.linalg.vector_norm(x.reshape(1),0.0,[0]) | torch.tensor(2.)
vector_norm rank0 | torch.linalg.vector_norm(x,0.0,[0]) | torch.linalg.vector_norm(x,0.0) | torch.tensor(2.)
floor bf16 | x.bfloat16().floor().float() | x.bfloat16().float().floor() | r(3)
sin bf16 | x.bfloat16().sin().float() | x.bfloat16().float().sin() | r(3)
amax no dim | x.amax() | x.amax((0,1)) | n(3,4).int()
amax no dim | x.amax() | x.max() | n(3,4).int()
polar double | torch.view_as_real(torch.polar(x,y)) | torch.view_as_real(torch.polar(x.float(),y.float())).double() | torch.rand(3).double(),torch.rand(3).double()
argmax bf16 | x.bfloat16().argmax(-1) | x.bfloat16().float().argmax(-1) | r(3,4)
amax rank0 | x.amax([0],True) | x.reshape(1).amax([0],True).reshape(()) | torch.tensor(2.).double()
avg_pool2d long | F.avg_pool2d(x,2) | F.avg_pool2d(x.float(),2).floor().long() | n(1,2,4,4)
divide mixed | torch.divide(x,y) | torch.div(x,y) | r(3),n(3)+1
subtract mixed | torch.subtract(x,y) | torch.sub(x,y) | n(3),r(3)
subtract mixed | torch.subtract(x,y) | torch.subtract(x.to(torch.float),y) | n(3),r(3)
log_softmax bf16 | x.bfloat16().log_softmax(-1).float() | x.bfloat16().float().log_softmax(-1) | r(3,4)
log_softmax bool dtype | x.log_softmax(0,dtype=torch.float) | x.to(torch.float).log_softmax(0) | n(3,4)>2
rshift short | torch.bitwise_right_shift(x,y) | torch.bitwise_right_shift(x.int(),y.int()).short() | n(5).short()*7,n(5).short()
add_ bf16 | x.bfloat16().add_(1).float() | x.bfloat16().float().add_(1) | r(2,2)
max_pool2d long | F.max_pool2d(x,3,2,1) | F.max_pool2d(x.float(),3,2,1).long() | n(1,2,5,5)
scatter_reduce half | x.scatter_reduce(0,y,z,"sum") | x.float().scatter_reduce(0,y,z.float(),"sum").half() | r(5,3).half(),n(2,3),r(2,3).half()
clamp_max short | torch.clamp_max(x,y) | torch.clamp_max(x.int(),y.int()).short() | n(3).short(),n(3).short()
col2im bf16 | F.fold(x.bfloat16(),(4,6),2,stride=2).float() | F.fold(x.bfloat16().float(),(4,6),2,stride=2) | r(1,4,6)
argsort bool | x.argsort(-1,True) | x.float().argsort(-1,True) | torch.tensor([True,False])
max.dim short | x.max(-1)[0] | x.float().max(-1)[0].short() | n(3,4).short()
heaviside bool | torch.heaviside(x,y) | torch.heaviside(x.float(),y.float()).bool() | n(5)>2,n(5)>2
cross_entropy probs | F.cross_entropy(x,y) | -(x.log_softmax(1)*y).sum(1).mean() | r(3,4),r(3,4).softmax(1)
scatter_add rank0 | torch.zeros_like(x).scatter_add(0,y,x) | torch.zeros_like(x).reshape(1).scatter_add(0,y.reshape(1),x.reshape(1)).reshape(()) | torch.tensor(2.),torch.tensor(0)
mean bf16 | x.bfloat16().mean(-1).float() | x.bfloat16().float().mean(-1) | r(3,4)
triu_indices | torch.triu_indices(0,0)+x.long()[:0] | torch.empty(2,0,dtype=torch.int64)+x.long()[:0] | r(1)
zeros complex | torch.view_as_real(torch.zeros(3,dtype=torch.complex64)+x) | torch.view_as_real(torch.complex(torch.zeros(3),torch.zeros(3))+x) | torch.complex(r(3),r(3))
exp bf16 | x.bfloat16().exp().float() | x.bfloat16().float().exp() | r(3)
index_put half | x.index_put((y,),z,accumulate=True) | x.float().index_put((y,),z.float(),accumulate=True).half() | r(5,5).half(),n(2),r(2,5).half()
normal | torch.normal(x)*0 | (torch.randn_like(x)+x)*0 | r(3,4)
roll -1 | x.roll(2,-1) | x.roll(2,1) | r(5,5)
roll -1 | x.roll(2,-1) | x.roll(-3,-1) | r(5,5)
where short | torch.where(y,x,z) | torch.where(y,x.float(),z.float()).short() | n(3).short(),n(3)>2,n(3).short()
all rank0 | A.all.dims(x,[0]) | A.all.dims(x.reshape(1),[0]) | torch.tensor(True)
trunc bf16 | x.bfloat16().trunc().float() | x.bfloat16().float().trunc() | r(3)
remainder bf16 | (x.bfloat16() % y.bfloat16()).float() | x.bfloat16().float() % y.bfloat16().float() | r(3),torch.rand(3)+1
triu short | x.triu() | x.float().triu().short() | n(4,4).short()
group_norm bf16 | F.group_norm(x.bfloat16(),1).float() | F.group_norm(x.bfloat16().float(),1) | r(1,4,7)
pow char | x**y | (x.float()**y.float()).char() | n(3).char(),n(3).char()
amax half | x.amax([0]) | x.float().amax([0]).half() | r(2,3).half()
prod half | x.prod(1) | x.float().prod(1).half() | torch.rand(3,2).half()
sum_to_size half | x.sum_to_size(1) | x.float().sum_to_size(1).half() | r(3).half()
abs half | x.abs() | x.float().abs().half() | r(3).half()
sum half | x.sum(1) | x.float().sum(1).half() | r(3,4).half()
mse half | F.mse_loss(x,y) | F.mse_loss(x.float(),y.float()).half() | r(3,4).half(),r(3,4).half()
cosine half | F.cosine_similarity(x,y) | F.cosine_similarity(x.float(),y.float()).half() | r(3,4).half(),r(3,4).half()
all byte | x.all(0) | x.bool().all(0).byte() | n(3,2).byte()
any byte | x.any(0) | x.bool().any(0).byte() | n(3,2).byte()
hfft | torch.fft.hfft(x) | torch.fft.ifft(torch.cat([x.conj(), x[1:-1].flip(0)])).real*8 | torch.complex(r(5),r(5).abs()*torch.tensor([0.,1,1,1,0]))
cumsum | x.cumsum(0) | x.float().cumsum(0).half() | r(3).half()
nansum | x.nansum() | x.float().nansum().half() | r(3).half()
trace | x.trace() | x.float().trace().half() | r(3,3).half()
"""


def real(tensor):
    return torch.view_as_real(tensor) if tensor.is_complex() else tensor


def are_same(expected, got):
    return len(expected) == len(got) and all(
        e.dtype == g.dtype and e.shape == g.shape and torch.allclose(real(e).double(), real(g).double(), rtol=2e-2, atol=2e-2)
        for e, g in zip(expected, got))


def outcome(function, tensors):
    call = Call(function, tensors, {})
    model = outcomes.export_program(outcomes.captured(call), 18)
    return "refused" if isinstance(model, list) else outcomes.run_model(model, call, True)[0]


def tried(row):
    about, call, way, tensors = (part.strip() for part in row.split(" | "))
    functions = [eval(f"lambda x=None, y=None, z=None: {text}") for text in (call, way)]
    tensors = eval(f"({tensors},)")
    results = [outcomes.flat(function(*(t.clone() for t in tensors))) for function in functions]
    return [about, *(outcome(function, tensors) for function in functions), "same" if are_same(*results) else "differs"]


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    outcomes.make_ready()
    rows = WAYS.strip().split("\n")
    with open(sys.argv[1], "w") as out:
        for number, line in enumerate(outcomes.each_apart(tried, rows), 1):
            out.write("\t".join([str(number), *(line or ["failed"])]) + "\n")


if __name__ == "__main__":
    main()
