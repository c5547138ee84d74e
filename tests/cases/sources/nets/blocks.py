import torch


class Block(torch.nn.Module):
    def forward(self, x):
        return MyRelu.apply(x)


class MyRelu(torch.autograd.Function):
    pass
