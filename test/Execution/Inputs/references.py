"""What the named operations compute, in NumPy, straight from their definitions."""

import itertools
import math

import numpy as np

ERF = np.vectorize(math.erf)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softplus(x, beta=1.0):
    return np.log1p(np.exp(x * beta)) / beta


def relu6(x):
    return np.clip(x, 0, 6)


UNARY = {
    "abs": np.abs, "acos": lambda x: np.arccos(x / 4), "ceil": np.ceil, "cos": np.cos, "erf": ERF, "exp": np.exp,
    "expm1": np.expm1, "floor": np.floor, "gelu": lambda x: 0.5 * x * (1 + ERF(x / np.sqrt(2))),
    "gelu_tanh": lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "hardsigmoid": lambda x: relu6(x + 3) / 6, "hardswish": lambda x: x * relu6(x + 3) / 6,
    "log": lambda x: np.log(np.abs(x) + 1), "mish": lambda x: x * np.tanh(softplus(x)), "neg": np.negative,
    "reciprocal": np.reciprocal, "relu": lambda x: np.maximum(x, 0), "relu6": relu6, "round": np.round,
    "rsqrt": lambda x: 1 / np.sqrt(np.abs(x) + 1), "sigmoid": sigmoid, "sign": np.sign, "silu": lambda x: x * sigmoid(x),
    "sin": np.sin, "softplus": softplus, "sqrt": lambda x: np.sqrt(np.abs(x)), "square": np.square, "tan": np.tan,
    "tanh": np.tanh, "trunc": np.trunc, "atan": np.arctan, "log1p": lambda x: np.log1p(np.abs(x)),
}
# Kinds whose domain is not the whole line get this in front.
DOMAIN = {"acos": "mul 0.25", "log": "abs+1", "rsqrt": "abs+1", "sqrt": "abs", "log1p": "abs"}

PARAMETERS = {
    "elu": ([0.7], lambda x: np.where(x > 0, x, 0.7 * np.expm1(x))),
    "leaky_relu": ([0.1], lambda x: np.where(x > 0, x, 0.1 * x)),
    "clamp": ([-0.5, 1.5], lambda x: np.clip(x, -0.5, 1.5)),
    "hardtanh": ([-2.0, 0.5], lambda x: np.clip(x, -2, 0.5)),
    "fake_quantize": ([0.1, 3.0, -20.0, 20.0],
                      lambda x: (np.clip(np.round(x / np.float32(0.1)) + 3, -20, 20) - 3) * 0.1),
}

BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "maximum": np.maximum,
    "minimum": np.minimum, "atan2": np.arctan2, "fmod": np.fmod,
    "heaviside": lambda x, y: np.where(x < 0, 0, np.where(x > 0, 1, y)),
}
COMPARE = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
           "ge": np.greater_equal}
TERNARY = {
    "addcdiv": lambda a, b, c: a + b / c, "addcmul": lambda a, b, c: a + b * c,
    "lerp": lambda a, b, c: a + c * (b - a), "clamp_tensor": lambda a, b, c: np.minimum(np.maximum(a, b), c),
}


# --- windows ----------------------------------------------------------------------------


def places(low, stride, dilation, out, window):
    """Input place of window element w at result place o, along one axis."""
    return [[o * stride - low + w * dilation for w in range(window)] for o in range(out)]


def conv(x, w, stride, low, high, dilation, groups):
    spatial = x.ndim - 2
    out = [(x.shape[2 + i] + low[i] + high[i] - dilation[i] * (w.shape[2 + i] - 1) - 1) // stride[i] + 1
           for i in range(spatial)]
    y = np.zeros((x.shape[0], w.shape[0], *out))
    cg, kg = x.shape[1] // groups, w.shape[0] // groups
    for o in itertools.product(*map(range, out)):
        for t in itertools.product(*map(range, w.shape[2:])):
            at = [o[i] * stride[i] - low[i] + t[i] * dilation[i] for i in range(spatial)]
            if all(0 <= a < s for a, s in zip(at, x.shape[2:])):
                for g in range(groups):
                    y[(slice(None), slice(g * kg, (g + 1) * kg), *o)] += np.einsum(
                        "nc,kc->nk", x[(slice(None), slice(g * cg, (g + 1) * cg), *at)],
                        w[(slice(g * kg, (g + 1) * kg), slice(None), *t)])
    return y


def conv_backward(dy, x, w, stride, low, high, dilation, groups):
    """Gradients by the definition of the forward sum."""
    spatial = x.ndim - 2
    dx, dw = np.zeros_like(x, dtype=np.float64), np.zeros_like(w, dtype=np.float64)
    cg, kg = x.shape[1] // groups, w.shape[0] // groups
    for o in itertools.product(*map(range, dy.shape[2:])):
        for t in itertools.product(*map(range, w.shape[2:])):
            at = [o[i] * stride[i] - low[i] + t[i] * dilation[i] for i in range(spatial)]
            if all(0 <= a < s for a, s in zip(at, x.shape[2:])):
                for g in range(groups):
                    c, k = slice(g * cg, (g + 1) * cg), slice(g * kg, (g + 1) * kg)
                    d = dy[(slice(None), k, *o)]
                    dx[(slice(None), c, *at)] += np.einsum("nk,kc->nc", d, w[(k, slice(None), *t)])
                    dw[(k, slice(None), *t)] += np.einsum("nk,nc->kc", d, x[(slice(None), c, *at)])
    return dx, dw, dy.sum(axis=(0, *range(2, dy.ndim)))


def conv_transpose(x, w, stride, low, high, dilation, output_padding, groups):
    """The input gradient of the convolution whose filter is w."""
    spatial = x.ndim - 2
    out = [(x.shape[2 + i] - 1) * stride[i] - low[i] - high[i] + dilation[i] * (w.shape[2 + i] - 1) +
           output_padding[i] + 1 for i in range(spatial)]
    cg, kg = x.shape[1] // groups, w.shape[1]
    y = np.zeros((x.shape[0], kg * groups, *out))
    for i in itertools.product(*map(range, x.shape[2:])):
        for t in itertools.product(*map(range, w.shape[2:])):
            at = [i[a] * stride[a] - low[a] + t[a] * dilation[a] for a in range(spatial)]
            if all(0 <= a < s for a, s in zip(at, out)):
                for g in range(groups):
                    c = slice(g * cg, (g + 1) * cg)
                    y[(slice(None), slice(g * kg, (g + 1) * kg), *at)] += np.einsum(
                        "nc,ck->nk", x[(slice(None), c, *i)], w[(c, slice(None), *t)])
    return y


def windows(x, window, stride, low, high, dilation):
    """Yields (result place, places of the input inside the window)."""
    spatial = x.ndim - 2
    out = [(x.shape[2 + i] + low[i] + high[i] - dilation[i] * (window[i] - 1) - 1) // stride[i] + 1
           for i in range(spatial)]
    for o in itertools.product(*map(range, out)):
        inside = []
        for t in itertools.product(*map(range, window)):
            at = tuple(o[i] * stride[i] - low[i] + t[i] * dilation[i] for i in range(spatial))
            if all(0 <= a < s for a, s in zip(at, x.shape[2:])):
                inside.append(at)
        yield o, inside, out


def max_pool_indices(x, *window):
    values = indices = None
    for o, inside, out in windows(x, *window):
        if values is None:
            values = np.zeros((*x.shape[:2], *out))
            indices = np.zeros(values.shape, np.int64)
        stacked = np.stack([x[(slice(None), slice(None), *at)] for at in inside])
        best = stacked.argmax(axis=0)
        flat = np.array([np.ravel_multi_index(at, x.shape[2:]) for at in inside])
        values[(slice(None), slice(None), *o)] = stacked.max(axis=0)
        indices[(slice(None), slice(None), *o)] = flat[best]
    return values, indices


def max_unpool(x, indices, spatial):
    y = np.zeros((*x.shape[:2], int(np.prod(spatial))))
    for n, c in itertools.product(range(x.shape[0]), range(x.shape[1])):
        for value, place in zip(x[n, c].ravel(), indices[n, c].ravel()):
            y[n, c, place] = value
    return y.reshape(*x.shape[:2], *spatial)


def pool_backward(kind, dy, x, exclude_pad, *window):
    dx = np.zeros(x.shape)
    area = int(np.prod(window[0]))
    for o, inside, _ in windows(x, *window):
        d = dy[(slice(None), slice(None), *o)]
        if kind == "max":
            stacked = np.stack([x[(slice(None), slice(None), *at)] for at in inside])
            best = stacked.argmax(axis=0)
        for number, at in enumerate(inside):
            share = d if kind == "sum" else d / (len(inside) if exclude_pad else area)
            if kind == "max":
                share = np.where(best == number, d, 0)
            dx[(slice(None), slice(None), *at)] += share
    return dx


def adaptive_pool(kind, x, out):
    y = np.zeros((*x.shape[:2], *out))
    for o in itertools.product(*map(range, out)):
        cut = tuple(slice(o[i] * s // n, -((-(o[i] + 1) * s) // n)) for i, (s, n) in enumerate(zip(x.shape[2:], out)))
        part = x[(slice(None), slice(None), *cut)].reshape(*x.shape[:2], -1)
        y[(slice(None), slice(None), *o)] = part.mean(-1) if kind == "avg" else part.max(-1)
    return y


def adaptive_pool_backward(kind, dy, x):
    dx = np.zeros(x.shape)
    sizes, out = x.shape[2:], dy.shape[2:]
    for n, c, *o in itertools.product(*map(range, dy.shape)):
        cut = tuple(slice(o[i] * s // m, -((-(o[i] + 1) * s) // m)) for i, (s, m) in enumerate(zip(sizes, out)))
        part, g = dx[(n, c, *cut)], dy[(n, c, *o)]
        if kind == "avg":
            part += g / part.size
        else:
            part[np.unravel_index(x[(n, c, *cut)].argmax(), part.shape)] += g
    return dx


# --- resizing ---------------------------------------------------------------------------


def resize_matrix(mode, coordinates, n_in, n_out, scale=None):
    """Weights of input elements (columns) in result elements (rows)."""
    m = np.zeros((n_out, n_in))
    scale = n_in / n_out if scale is None else scale
    for o in range(n_out):
        if coordinates == "align_corners":
            x = o * ((n_in - 1) / (n_out - 1) if n_out > 1 else 0)
        elif coordinates == "half_pixel":
            x = (o + 0.5) * scale - 0.5
        else:
            x = o * scale
        if mode == "nearest":
            place = math.floor(x + 0.5 if coordinates == "half_pixel" else x)
            m[o, min(max(place, 0), n_in - 1)] += 1
            continue
        if mode == "linear":
            x = max(x, 0)
        f = math.floor(x)
        t = x - f
        if mode == "linear":
            weights = {0: 1 - t, 1: t}
        else:
            a = -0.75
            near = lambda d: ((a + 2) * d - (a + 3)) * d * d + 1
            far = lambda d: ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
            weights = {-1: far(1 + t), 0: near(t), 1: near(1 - t), 2: far(2 - t)}
        for k, weight in weights.items():
            m[o, min(max(f + k, 0), n_in - 1)] += weight
    return m


def resize(x, mode, coordinates, out, transposed=False):
    for i, n in enumerate(out):
        axis = 2 + i
        m = resize_matrix(mode, coordinates, n, x.shape[axis]).T if transposed else resize_matrix(
            mode, coordinates, x.shape[axis], n)
        x = np.moveaxis(np.tensordot(m, x, (1, axis)), 0, axis)
    return x


# --- norms ------------------------------------------------------------------------------


def along_channels(v, ndim):
    return np.asarray(v).reshape(-1, *[1] * (ndim - 2))


def normalise(x, axes, eps):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)


def group_norm(x, groups, eps, scale=1.0, offset=0.0):
    g = x.reshape(x.shape[0], groups, -1)
    y = normalise(g, (2,), eps).reshape(x.shape)
    return y * along_channels(scale, x.ndim) + along_channels(offset, x.ndim)


def group_norm_backward(dy, x, scale, groups, eps):
    g = dy * along_channels(scale, x.ndim)
    shape = (x.shape[0], groups, -1)
    hat = normalise(x.reshape(shape), (2,), eps)
    gg = g.reshape(shape)
    inverse = 1 / np.sqrt(x.reshape(shape).var(2, keepdims=True) + eps)
    dx = inverse * (gg - gg.mean(2, keepdims=True) - hat * (gg * hat).mean(2, keepdims=True))
    axes = (0, *range(2, x.ndim))
    return dx.reshape(x.shape), (dy * hat.reshape(x.shape)).sum(axes), dy.sum(axes)


def layer_norm_backward(dy, x, scale, count, eps):
    last, rows = tuple(range(-count, 0)), tuple(range(x.ndim - count))
    hat, g = normalise(x, last, eps), dy * scale
    inverse = 1 / np.sqrt(x.var(last, keepdims=True) + eps)
    dx = inverse * (g - g.mean(last, keepdims=True) - hat * (g * hat).mean(last, keepdims=True))
    return dx, (dy * hat).sum(rows), dy.sum(rows)


def batch_norm_backward(dy, x, mean, var, scale, eps):
    axes = (0, *range(2, x.ndim))
    c = lambda v: along_channels(v, x.ndim)
    inverse = 1 / np.sqrt(var + eps)
    hat = (x - c(mean)) * c(inverse)
    sums, dots = dy.sum(axes), (dy * hat).sum(axes)
    n = x.size / x.shape[1]
    dx = c(scale * inverse) * (dy - c(sums) / n - hat * c(dots) / n)
    return dx, dots, sums


def local_response_norm(x, size, alpha, beta, k):
    total = np.zeros(x.shape)
    for c in range(x.shape[1]):
        first = c - size // 2
        for j in range(max(first, 0), min(first + size, x.shape[1])):
            total[:, c] += x[:, j] ** 2
    return x / (k + alpha / size * total) ** beta


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def logsumexp(x, axis, keepdims):
    m = x.max(axis, keepdims=True)
    y = m + np.log(np.exp(x - m).sum(axis, keepdims=True))
    return y if keepdims else y.reshape([s for i, s in enumerate(x.shape) if i not in axis])


def shuffle(x, r):
    n, c, *s = x.shape
    k = len(s)
    y = x.reshape(n, c // r**k, *[r] * k, *s)
    order = [0, 1] + [a for i in range(k) for a in (2 + k + i, 2 + i)]
    return y.transpose(order).reshape(n, c // r**k, *[r * v for v in s])


def unshuffle(x, r):
    n, c, *s = x.shape
    k = len(s)
    y = x.reshape(n, c, *[v for size in s for v in (size // r, r)])
    order = [0, 1] + [3 + 2 * i for i in range(k)] + [2 + 2 * i for i in range(k)]
    return y.transpose(order).reshape(n, c * r**k, *[v // r for v in s])
