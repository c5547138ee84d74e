def net(x):
    y = -x
    return y
