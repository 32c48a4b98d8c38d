"""How the operations of the corpus are spelled in IR. No rule about layouts is here:
result shapes are printed as the rows give them, and the verifier judges them."""


class NotCovered(Exception):
    """The dialect has no operation for this row; the text is the reason."""


def array(values):
    return "array<i64: " + ", ".join(str(v) for v in values) + ">" if values else "array<i64>"


def floats(*values):
    return "array<f64: " + ", ".join(f"{v:e}" for v in values) + ">"


def tensor_type(tensor, plain=False):
    """The type of a tensor of a row; its strides are the encoding."""
    shape = "".join(f"{size}x" for size in tensor["s"])
    element = tensor.get("d", "f32")
    if plain:
        return f"tensor<{shape}{element}>"
    strides = ", ".join(str(stride) for stride in tensor["st"])
    return f"tensor<{shape}{element}, #memfmt.strided<[{strides}], offset: {tensor.get('o', 0)}>>"


class Function:
    """A function under construction. Values are (name, tensor); the tensor of an
    intermediate value has sizes alone."""

    def __init__(self, row, name):
        self.row, self.name, self.lines, self.count = row, name, [], 0
        self.inputs = [(f"%a{i}", tensor) for i, tensor in enumerate(row["in"])]
        self.types = {name: tensor_type(tensor) for name, tensor in self.inputs}
        self.attrs = row.get("attrs", {})

    def emit(self, op, operands, outs, attrs="", before="", functional=True):
        """Appends an operation; returns its results."""
        results = []
        for out in outs:
            name = f"%v{self.count}"
            self.count += 1
            self.types[name] = tensor_type(out, plain=True)
            results.append((name, out))
        sources = ", ".join(self.types[name] for name, _ in operands)
        targets = ", ".join(self.types[name] for name, _ in results)
        if functional:
            types = f"({sources}) -> " + (targets if len(results) == 1 else f"({targets})")
        else:
            types = f"{sources} -> {targets}"
        left = ", ".join(name for name, _ in results)
        names = ", ".join(name for name, _ in operands)
        self.lines.append(f"  {left} = {op} {before}{names} {attrs} : {types}")
        return results

    def one(self, op, operands, out, attrs="", before=""):
        return self.emit(op, operands, [out], attrs, before)[0]

    def constant(self, text, element="f32"):
        """A scalar operand: eager code passes numbers as operands of rank 0."""
        name = f"%c{self.count}"
        self.count += 1
        tensor = {"s": [], "d": element}
        self.types[name] = tensor_type(tensor, plain=True)
        self.lines.append(f"  {name} = arith.constant dense<{text}> : {self.types[name]}")
        return name, tensor

    def text(self):
        arguments = ", ".join(f"{name}: {tensor_type(tensor)}" for name, tensor in self.inputs)
        attributes = "" if self.attrs.get("mkldnn", True) else "attributes {memfmt.without_onednn} "
        return f"func.func @{self.name}({arguments}) {attributes}{{\n" + "\n".join(self.lines) + "\n  return\n}"


def like(tensor, **changes):
    """A tensor of the sizes and element type of another."""
    result = {"s": list(tensor["s"])}
    if "d" in tensor:
        result["d"] = tensor["d"]
    result.update(changes)
    return result


def outs(row):
    """Results of a row; for errors the first operand stands in."""
    return row["out"] if "out" in row else [like(row["in"][0])]


# --- element-wise -----------------------------------------------------------------------

UNARY = {name: "" for name in
         """relu neg abs exp sigmoid gelu silu hardswish hardsigmoid relu6 softplus tanh sqrt logical_not
         mish nan_to_num""".split()}
UNARY.update(leaky_relu=floats(0.01), elu=floats(1.0), hardtanh=floats(-1.0, 1.0))
BINARY = """add mul sub div maximum pow lt atan2 prelu heaviside""".split()
TERNARY = {"where": "where", "addcmul": "addcmul", "lerp": "lerp", "addcdiv": "addcdiv", "clamp.Tensor": "clamp_tensor"}
SCALAR = {"add.Scalar": "add", "rsub.Scalar": "sub", "gt.Scalar": "gt"}


def parameters(text):
    return f"{{parameters = {text}}}" if text else ""


def elementwise(f, kind, operands, out, text=""):
    return f.one("memfmt.elementwise", operands, out, parameters(text), f"{kind} ")


def elementwise_into(f, kind, operands, memory, out, text=""):
    """In place and `out=`: the result takes the memory of an operand."""
    name = f"%v{f.count}"
    f.count += 1
    f.types[name] = tensor_type(out, plain=True)
    types = ", ".join(f.types[n] for n, _ in operands + [memory])
    names = ", ".join(n for n, _ in operands)
    f.lines.append(f"  {name} = memfmt.elementwise {kind} {names} into {memory[0]} {parameters(text)} : "
                   f"({types}) -> {f.types[name]}")
    return name, out


def spell_unary(f, row):
    elementwise(f, row["op"], f.inputs, outs(row)[0], UNARY[row["op"]])


def spell_binary(f, row):
    inputs = list(f.inputs)
    if row["op"] == "heaviside" and len(inputs) == 1:
        inputs.append(f.constant("5.0e-01"))
    elementwise(f, row["op"], inputs, outs(row)[0])


def spell_ternary(f, row):
    elementwise(f, TERNARY[row["op"]], f.inputs, outs(row)[0])


def spell_scalar(f, row):
    scalar = f.constant(f"{f.attrs['other']:e}")
    operands = [f.inputs[0], scalar]
    elementwise(f, SCALAR[row["op"]], operands[::-1] if row["op"] == "rsub.Scalar" else operands, outs(row)[0])


def spell_clamp(f, row):
    elementwise(f, "clamp", f.inputs, outs(row)[0], floats(f.attrs["min"], f.attrs["max"]))


def spell_masked_fill(f, row):
    mask = elementwise(f, "gt", [f.inputs[0], f.constant("0.0")], like(row["in"][0], d="i1"))
    elementwise(f, "masked_fill", [f.inputs[0], mask, f.constant("0.0")], outs(row)[0])


def spell_fake_quantize(f, row):
    elementwise(f, "fake_quantize", f.inputs, outs(row)[0], floats(0.1, 0, -128, 127))


def spell_in_place(f, row):
    value = f.inputs[0]
    if f.attrs.get("expanded_cloned_first"):
        value = f.one("memfmt.request_format", [value], like(row["in"][0]), before="clone preserve ")
    kind = row["op"][:-1]
    elementwise_into(f, kind, [value] + f.inputs[1:], value, outs(row)[0])


def spell_out(f, row):
    out = row["out"][0] if "out" in row else like(row["in"][-1])
    elementwise_into(f, row["op"].split(".")[0], f.inputs[:-1], f.inputs[-1], out)


def spell_dropout(f, row):
    if f.attrs.get("train"):
        raise NotCovered("training draws random numbers; a mask is an operand here")
    f.one("memfmt.dropout", f.inputs, outs(row)[0], "{probability = 5.0e-01 : f64}")


# --- formats asked for ------------------------------------------------------------------

REQUESTS = {None: "preserve", "preserve_format": "preserve", "contiguous_format": "contiguous",
            "channels_last": "channels_last", "channels_last_3d": "channels_last_3d"}


def request_attr(f, default=None):
    return REQUESTS[f.attrs.get("memory_format", default)]


def spell_request(f, row):
    kind = row["op"]
    default = "contiguous_format" if kind == "contiguous" else None
    out = outs(row)[0]
    if "dtype" in f.attrs and "out" not in row:
        out = like(out, d=f.attrs["dtype"])
    f.one("memfmt.request_format", f.inputs, out, "{copy}" if f.attrs.get("copy") else "",
          f"{kind} {request_attr(f, default)} ")


def spell_full_like(f, row):
    f.one("memfmt.full_like", f.inputs, outs(row)[0], "{value = 1.0 : f64}", f"{request_attr(f)} ")


def spell_new(f, row):
    """new_zeros and new_empty are contiguous whatever the tensor is."""
    f.one("memfmt.full_like", f.inputs, outs(row)[0], "{value = 0.0 : f64}", "contiguous ")


def spell_empty(f, row):
    tensor = {"s": f.attrs["size"]}
    type_ = tensor_type(tensor, plain=True)
    f.lines.append(f"  %e = tensor.empty() : {type_}")
    f.types["%e"] = type_
    f.one("memfmt.full_like", [("%e", tensor)], tensor, "{value = 0.0 : f64}",
          f"{request_attr(f, 'contiguous_format')} ")


# --- convolutions and pools -------------------------------------------------------------


def per_axis(value, spatial):
    return list(value) if isinstance(value, list) else [value] * spatial


def padding_of(f, spatial, sizes):
    """Padding below and above. `same` adds what the window takes, the odd element above."""
    padding = f.attrs.get("padding", 0)
    if padding == "valid":
        padding = 0
    if padding != "same":
        return per_axis(padding, spatial), per_axis(padding, spatial)
    total = [d * (k - 1) for d, k in zip(per_axis(f.attrs.get("dilation", 1), spatial), sizes)]
    return [t // 2 for t in total], [t - t // 2 for t in total]


def window(f, spatial, extra="", sizes=None):
    low, high = padding_of(f, spatial, sizes)
    lists = {"strides": per_axis(f.attrs.get("stride", 1), spatial), "pad_low": low, "pad_high": high,
             "dilations": per_axis(f.attrs.get("dilation", 1), spatial)}
    return "{" + ", ".join(f"{key} = {array(value)}" for key, value in lists.items()) + extra + "}"


def emit_conv(f, x, w, out, padding=None, bias=None):
    """memfmt.conv spells its bias apart."""
    spatial = len(w[1]["s"]) - 2
    if padding is not None:
        f.attrs = dict(f.attrs, padding=padding)
    name = f"%v{f.count}"
    f.count += 1
    f.types[name] = tensor_type(out, plain=True)
    attrs = window(f, spatial, f", groups = {f.attrs.get('groups', 1)} : i64", w[1]["s"][2:])
    added = f"bias({bias[0]} : {f.types[bias[0]]})" if bias else ""
    f.lines.append(f"  {name} = memfmt.conv {x[0]}, {w[0]} {added} {attrs} : {f.types[x[0]]}, {f.types[w[0]]} -> {f.types[name]}")
    return name, out


def spell_conv(f, row):
    x, w = f.inputs[0], f.inputs[1]
    out = outs(row)[0]
    bias = f.inputs[2] if len(f.inputs) > 2 else None
    if len(x[1]["s"]) == len(w[1]["s"]) - 1:  # A single image: PyTorch adds the batch axis.
        x = f.one("memfmt.unsqueeze", [x], {"s": [1] + x[1]["s"]}, "{axis = 0 : i64}")
        y = emit_conv(f, x, w, {"s": [1] + out["s"]}, bias=bias)
        f.one("memfmt.squeeze", [y], out, "{axes = array<i64: 0>}")
        return
    emit_conv(f, x, w, out, bias=bias)


def spell_conv_transpose(f, row):
    spatial = len(row["in"][0]["s"]) - 2
    extra = f", output_padding = {array(per_axis(f.attrs.get('output_padding', 0), spatial))}"
    extra += f", groups = {f.attrs.get('groups', 1)} : i64"
    f.one("memfmt.conv_transpose", f.inputs, outs(row)[0], window(f, spatial, extra))


def spell_conv_backward(f, row):
    spatial = len(row["in"][1]["s"]) - 2
    f.emit("memfmt.conv_backward", f.inputs, outs(row),
           window(f, spatial, f", groups = {f.attrs.get('groups', 1)} : i64"))


def pool_attrs(f, spatial):
    kernel = per_axis(f.attrs["kernel"], spatial)
    attrs = dict(f.attrs, stride=f.attrs.get("stride", f.attrs["kernel"]))
    f.attrs = attrs
    return window(f, spatial, f", window = {array(kernel)}")


def emit_pool(f, kind, x, out):
    name = f"%v{f.count}"
    f.count += 1
    f.types[name] = tensor_type(out, plain=True)
    attrs = pool_attrs(f, len(x[1]["s"]) - 2)
    f.lines.append(f"  {name} = memfmt.pool {kind} {x[0]} {attrs} : {f.types[x[0]]} -> {f.types[name]}")
    return name, out


def spell_pool(f, row):
    emit_pool(f, row["op"][:3], f.inputs[0], outs(row)[0])


def spell_pool_indices(f, row):
    f.emit("memfmt.max_pool_indices", f.inputs, outs(row), pool_attrs(f, len(row["in"][0]["s"]) - 2))


def spell_adaptive_pool(f, row):
    f.one("memfmt.adaptive_pool", f.inputs, outs(row)[0], before=f"{row['op'].split('_')[1]} ")


RESIZE = {"nearest": "nearest asymmetric", "nearest-exact": "nearest half_pixel", "linear": "linear half_pixel",
          "bilinear": "linear half_pixel", "trilinear": "linear half_pixel", "bicubic": "cubic half_pixel"}


def spell_interpolate(f, row):
    mode = f.attrs["mode"]
    if mode == "area":  # PyTorch computes it as an adaptive average.
        f.one("memfmt.adaptive_pool", f.inputs, outs(row)[0], before="avg ")
        return
    f.one("memfmt.resize", f.inputs, outs(row)[0], before=f"{RESIZE[mode]} ")


# --- norms ------------------------------------------------------------------------------

EPSILON = "epsilon = 1.0e-05 : f64"


def vector(f, size):
    name = f"%c{f.count}"
    f.count += 1
    tensor = {"s": [size]}
    f.types[name] = tensor_type(tensor, plain=True)
    f.lines.append(f"  {name} = arith.constant dense<1.0> : {f.types[name]}")
    return name, tensor


def spell_batch_norm(f, row):
    out = outs(row)[0]
    channels = row["in"][0]["s"][1]
    if f.attrs.get("training"):
        results = f.emit("memfmt.batch_norm_training", f.inputs,
                         [out, {"s": [channels]}, {"s": [channels]}], f"{{{EPSILON}}}")
        f.one("memfmt.permute", [results[0]], out, f"{{permutation = {array(range(len(out['s'])))}}}")
        return
    c = vector(f, channels)[0]
    name = f"%v{f.count}"
    f.types[name] = tensor_type(out, plain=True)
    f.lines.append(f"  {name} = memfmt.batch_norm {f.inputs[0][0]}, {c}, {c}, {c}, {c} {{{EPSILON}}} : "
                   f"{f.types[f.inputs[0][0]]}, {f.types[c]} -> {f.types[name]}")


def spell_group_norm(f, row):
    f.one("memfmt.group_norm", f.inputs, outs(row)[0], f"{{groups = {f.attrs['groups']} : i64, {EPSILON}}}")


def spell_instance_norm(f, row):
    if "error" in row:
        raise NotCovered("PyTorch refuses training on one element; statistics of one element are defined here")
    f.one("memfmt.instance_norm", f.inputs, outs(row)[0], f"{{{EPSILON}}}")


def spell_layer_norm(f, row):
    f.one("memfmt.layer_norm", f.inputs, outs(row)[0],
          f"{{num_axes = {len(f.attrs['normalized_shape'])} : i64, {EPSILON}}}")


def spell_lrn(f, row):
    f.one("memfmt.local_response_norm", f.inputs, outs(row)[0],
          f"{{size = {f.attrs['size']} : i64, alpha = 1.0e-04 : f64, beta = 7.5e-01 : f64, k = 1.0 : f64}}")


def axis_of(f, row, key="dim", extra=0):
    rank = len(row["in"][0]["s"]) + extra
    axis = f.attrs[key]
    return axis + rank if axis < 0 else axis


def spell_softmax(f, row):
    log = ", log" if row["op"] == "log_softmax" else ""
    f.one("memfmt.softmax", f.inputs, outs(row)[0], f"{{axis = {axis_of(f, row)} : i64{log}}}")


# --- movement ---------------------------------------------------------------------------


def spell_pad(f, row):
    rank = len(row["in"][0]["s"])
    low, high = [0] * rank, [0] * rank
    pads = f.attrs["pad"]  # Pairs, the last axis first.
    for i in range(len(pads) // 2):
        low[rank - 1 - i], high[rank - 1 - i] = pads[2 * i], pads[2 * i + 1]
    f.one("memfmt.pad", f.inputs, outs(row)[0], f"{{low = {array(low)}, high = {array(high)}}}",
          f"{f.attrs['mode']} ")


def spell_flip(f, row):
    f.one("memfmt.flip", f.inputs, outs(row)[0], f"{{axes = {array([axis_of(f, row)])}}}")


def spell_roll(f, row):
    f.one("memfmt.roll", f.inputs, outs(row)[0],
          f"{{axes = {array([axis_of(f, row)])}, shifts = {array([f.attrs['shift']])}}}")


def spell_repeat(f, row):
    f.one("memfmt.repeat", f.inputs, outs(row)[0], f"{{repeats = {array(f.attrs['repeats'])}}}")


def spell_repeat_interleave(f, row):
    repeats = [1] * len(row["in"][0]["s"])
    repeats[axis_of(f, row)] = f.attrs["repeats"]
    f.one("memfmt.repeat", f.inputs, outs(row)[0], f"{{repeats = {array(repeats)}, interleave}}")


def emit_concat(f, inputs, out, axis):
    name = f"%v{f.count}"
    f.count += 1
    f.types[name] = tensor_type(out, plain=True)
    types = ", ".join(f.types[n] for n, _ in inputs)
    names = ", ".join(n for n, _ in inputs)
    f.lines.append(f"  {name} = tensor.concat dim({axis}) {names} : ({types}) -> {f.types[name]}")
    return name, out


def spell_cat(f, row):
    if len({len(tensor["s"]) for tensor in row["in"]}) > 1:
        raise NotCovered("PyTorch skips an empty tensor of rank 1; operands have one rank here")
    emit_concat(f, f.inputs, outs(row)[0], axis_of(f, row))


def spell_stack(f, row):
    f.one("memfmt.stack", f.inputs, outs(row)[0], f"{{axis = {axis_of(f, row, extra=1)} : i64}}")


def spell_shuffle(f, row):
    attrs = f"{{groups = {f.attrs['groups']} : i64}}" if "groups" in f.attrs else f"{{factor = {f.attrs['r']} : i64}}"
    f.one(f"memfmt.{row['op']}", f.inputs, outs(row)[0], attrs)


def spell_glu(f, row):
    out = outs(row)[0]
    f.one("memfmt.glu", f.inputs, out, f"{{axis = {axis_of(f, row)} : i64}}")


def spell_index_select(f, row):
    index = f.attrs["index"]
    name = f"%c{f.count}"
    f.types[name] = f"tensor<{len(index)}xi64>"
    f.lines.append(f"  {name} = arith.constant dense<{index}> : {f.types[name]}")
    f.one("memfmt.index_select", [f.inputs[0], (name, {"s": [len(index)]})], outs(row)[0],
          f"{{axis = {axis_of(f, row)} : i64}}")


# --- views ------------------------------------------------------------------------------


def emit_slice(f, x, out, axis, start, step=1):
    """A tensor.extract_slice along one axis."""
    sizes = x[1]["s"]
    offsets = [start if i == axis else 0 for i in range(len(sizes))]
    strides = [step if i == axis else 1 for i in range(len(sizes))]
    name = f"%v{f.count}"
    f.count += 1
    f.types[name] = tensor_type(out, plain=True)
    f.lines.append(f"  {name} = tensor.extract_slice {x[0]}{offsets} {out['s']} {strides} : "
                   f"{f.types[x[0]]} to {f.types[name]}")
    return name, out


def spell_narrow(f, row):
    axis = axis_of(f, row)
    start = f.attrs.get("start", 0)
    emit_slice(f, f.inputs[0], outs(row)[0], axis, start, f.attrs.get("step", 1))


def spell_slice_len1(f, row):
    axis = axis_of(f, row)
    # The row takes the first element of the axis; its offset says which.
    emit_slice(f, f.inputs[0], outs(row)[0], axis, 0)


def spell_parts(f, row):
    """Every part of a split."""
    axis, start = axis_of(f, row), 0
    for out in outs(row):
        emit_slice(f, f.inputs[0], out, axis, start)
        start += out["s"][axis]


def spell_unbind(f, row):
    for index, out in enumerate(outs(row)):
        f.one("memfmt.select", f.inputs, out, f"{{axis = {axis_of(f, row)} : i64, index = {index} : i64}}")


def spell_select(f, row):
    size = row["in"][0]["s"][axis_of(f, row)]
    index = f.attrs["index"] % size if size else f.attrs["index"]
    f.one("memfmt.select", f.inputs, outs(row)[0], f"{{axis = {axis_of(f, row)} : i64, index = {index} : i64}}")


def spell_squeeze(f, row):
    axes = range(len(row["in"][0]["s"])) if row["op"] == "squeeze_all" else [axis_of(f, row)]
    f.one("memfmt.squeeze", f.inputs, outs(row)[0], f"{{axes = {array(axes)}}}")


def spell_unsqueeze(f, row):
    f.one("memfmt.unsqueeze", f.inputs, outs(row)[0], f"{{axis = {axis_of(f, row, extra=1)} : i64}}")


def permuted(row, permutation):
    return f"{{permutation = {array(permutation)}}}"


def spell_permute(f, row):
    rank = len(row["in"][0]["s"])
    order = list(range(rank))
    if row["op"] == "permute":
        order = [axis % rank for axis in f.attrs["dims"]]
    elif row["op"] == "movedim":
        source, target = f.attrs["src"] % rank, f.attrs["dst"] % rank
        order.remove(source)
        order.insert(target, source)
    else:
        a, b = (rank - 2, rank - 1) if row["op"] == "mT" else [axis % rank for axis in f.attrs["dims"]]
        order[a], order[b] = order[b], order[a]
    f.one("memfmt.permute", f.inputs, outs(row)[0], permuted(row, order))


def spell_reshape(f, row):
    out = outs(row)[0]
    if "error" in row:
        shape = list(f.attrs["shape"])
        if -1 in shape:
            raise NotCovered("the shape of an error with a size to be inferred")
        out = {"s": shape}
    f.one("memfmt.reshape", f.inputs, out, "{view}" if row["op"] == "view" else "")


def spell_expand(f, row):
    f.one("memfmt.expand", f.inputs, outs(row)[0])


def spell_diagonal(f, row):
    a, b = f.attrs["dims"]
    f.one("memfmt.diagonal", f.inputs, outs(row)[0], f"{{axis1 = {a} : i64, axis2 = {b} : i64}}")


def spell_unfold_view(f, row):
    f.one("memfmt.sliding_window", f.inputs, outs(row)[0],
          f"{{axis = {axis_of(f, row)} : i64, size = {f.attrs['size']} : i64, step = {f.attrs['step']} : i64}}")


# --- reductions and products ------------------------------------------------------------

REDUCE = {"amax": "max", "argmax": "argmax", "prod": "prod", "std": "std", "var": "var", "logsumexp": "logsumexp",
          "any": "any", "sum": "sum", "mean": "mean"}


def spell_reduce(f, row):
    rank = len(row["in"][0]["s"])
    axes = f.attrs["dim"]
    if axes is None:
        axes = []
    axes = [axis % rank for axis in (axes if isinstance(axes, list) else [axes])]
    keep = ", keep_axes" if f.attrs.get("keepdim") else ""
    f.one("memfmt.reduce", f.inputs, outs(row)[0], f"{{axes = {array(axes)}{keep}}}", f"{REDUCE[row['op']]} ")


def spell_matmul(f, row):
    f.one("memfmt.matmul", f.inputs, outs(row)[0], "{transpose_b}" if row["op"] == "linear" else "")


# --- short programs ---------------------------------------------------------------------


def spell_conv_relu_pool(f, row):
    x, w = f.inputs
    out = outs(row)[0]
    mid = {"s": [x[1]["s"][0], w[1]["s"][0]] + x[1]["s"][2:]}
    y = elementwise(f, "relu", [emit_conv(f, x, w, mid, padding=1)], mid)
    f.attrs = {"kernel": 2}
    emit_pool(f, "max", y, out)


def spell_residual(f, row):
    x, w = f.inputs
    out = outs(row)[0]
    y = emit_conv(f, x, w, out, padding=1)
    elementwise(f, "add", [y, x] if row["op"] == "residual" else [x, y], out)


def spell_se_gate(f, row):
    x, out = f.inputs[0], outs(row)[0]
    small = {"s": x[1]["s"][:2] + [1, 1]}
    gate = elementwise(f, "sigmoid", [f.one("memfmt.adaptive_pool", [x], small, before="avg ")], small)
    elementwise(f, "mul", [x, gate] if row["op"] == "se_gate" else [gate, x], out)


def halves(f, x):
    half = {"s": [x[1]["s"][0], x[1]["s"][1] // 2] + x[1]["s"][2:]}
    return [emit_slice(f, x, half, 1, start) for start in (0, half["s"][1])], half


def spell_split_cat(f, row):
    parts, _ = halves(f, f.inputs[0])
    emit_concat(f, parts[::-1], outs(row)[0], 1)


def spell_chunk_add(f, row):
    parts, _ = halves(f, f.inputs[0])
    elementwise(f, "add", parts, outs(row)[0])


def spell_permute_roundtrip(f, row):
    x = f.inputs[0]
    n, c, h, w = x[1]["s"]
    last = f.one("memfmt.permute", [x], {"s": [n, h, w, c]}, "{permutation = array<i64: 0, 2, 3, 1>}")
    dense = f.one("memfmt.request_format", [last], last[1], before="contiguous contiguous ")
    f.one("memfmt.permute", [dense], outs(row)[0], "{permutation = array<i64: 0, 3, 1, 2>}")


def spell_unsqueeze_add(f, row):
    x = f.inputs[0]
    chw = f.one("memfmt.select", [x], {"s": x[1]["s"][1:]}, "{axis = 0 : i64, index = 0 : i64}")
    one = f.one("memfmt.unsqueeze", [chw], {"s": [1] + x[1]["s"][1:]}, "{axis = 0 : i64}")
    elementwise(f, "add", [one, x], outs(row)[0])


def spell_pool_tail(f, row):
    x, out = f.inputs[0], outs(row)[0]
    n, c = x[1]["s"][:2]
    small = f.one("memfmt.adaptive_pool", [x], {"s": [n, c, 1, 1]}, before="avg ")
    flat = f.one("memfmt.reshape", [small], {"s": [n, c]})
    if row["op"] == "avgpool_flatten_linear":
        f.one("memfmt.matmul", [flat, f.inputs[1]], out, "{transpose_b}")


def spell_mean_hw(f, row):
    f.one("memfmt.reduce", f.inputs, outs(row)[0], "{axes = array<i64: 2, 3>}", "mean ")


def spell_squeeze_unsq(f, row):
    x, out = f.inputs[0], outs(row)[0]
    chw = f.one("memfmt.select", [x], {"s": x[1]["s"][1:]}, "{axis = 0 : i64, index = 0 : i64}")
    f.one("memfmt.unsqueeze", [chw], out, "{axis = 0 : i64}")


# --- operations that rows of random.jsonl name as memfmt does ---------------------------


def spell_elementwise(f, row):
    f.one("memfmt.elementwise", f.inputs, outs(row)[0], "", f"{f.attrs['kind']} ")


def spell_adaptive_backward(f, row):
    f.one("memfmt.adaptive_pool_backward", f.inputs, outs(row)[0], before=f"{f.attrs['kind']} ")


def spell_pool_backward(f, row):
    attributes = pool_attrs(f, len(row["in"][0]["s"]) - 2)
    f.one("memfmt.pool_backward", f.inputs, outs(row)[0], attributes, f"{f.attrs['kind']} ")


def spell_resize_backward(f, row):
    f.one("memfmt.resize_backward", f.inputs, outs(row)[0], before=f"{RESIZE[f.attrs['mode']]} ")


def spell_group_norm_backward(f, row):
    f.emit("memfmt.group_norm_backward", f.inputs, outs(row), f"{{groups = {f.attrs['groups']} : i64, {EPSILON}}}")


def spell_layer_norm_backward(f, row):
    f.emit("memfmt.layer_norm_backward", f.inputs, outs(row), f"{{num_axes = {f.attrs['num_axes']} : i64, {EPSILON}}}")


def spell_max_unpool(f, row):
    f.one("memfmt.max_unpool", f.inputs, outs(row)[0])


SPELLINGS = {
    "clamp": spell_clamp, "masked_fill": spell_masked_fill, "fake_quantize": spell_fake_quantize,
    "relu_": spell_in_place, "add_": spell_in_place, "add.out": spell_out, "abs.out": spell_out,
    "dropout": spell_dropout, "to": spell_request, "contiguous": spell_request, "clone": spell_request,
    "zeros_like": spell_full_like, "empty_like": spell_full_like, "full_like": spell_full_like,
    "rand_like": spell_full_like, "copy_into_empty_like": spell_full_like, "new_empty": spell_new,
    "new_zeros": spell_new, "empty": spell_empty, "conv1d": spell_conv, "conv2d": spell_conv, "conv3d": spell_conv,
    "conv_transpose1d": spell_conv_transpose, "conv_transpose2d": spell_conv_transpose,
    "conv_transpose3d": spell_conv_transpose, "convolution_backward": spell_conv_backward,
    "max_pool1d": spell_pool, "max_pool2d": spell_pool, "max_pool3d": spell_pool, "avg_pool1d": spell_pool,
    "avg_pool2d": spell_pool, "avg_pool3d": spell_pool, "max_pool2d_idx": spell_pool_indices,
    "max_pool3d_idx": spell_pool_indices, "adaptive_avg_pool1d": spell_adaptive_pool,
    "adaptive_avg_pool2d": spell_adaptive_pool, "adaptive_avg_pool3d": spell_adaptive_pool,
    "adaptive_max_pool2d": spell_adaptive_pool, "adaptive_max_pool3d": spell_adaptive_pool,
    "interpolate": spell_interpolate, "batch_norm": spell_batch_norm, "group_norm": spell_group_norm,
    "instance_norm": spell_instance_norm, "layer_norm": spell_layer_norm, "local_response_norm": spell_lrn,
    "softmax": spell_softmax, "log_softmax": spell_softmax, "pad": spell_pad, "flip": spell_flip, "roll": spell_roll,
    "repeat": spell_repeat, "repeat_interleave": spell_repeat_interleave, "cat": spell_cat, "stack": spell_stack,
    "pixel_shuffle": spell_shuffle, "pixel_unshuffle": spell_shuffle, "channel_shuffle": spell_shuffle,
    "glu": spell_glu, "index_select": spell_index_select, "narrow": spell_narrow, "slice_step2": spell_narrow,
    "slice_len1": spell_slice_len1, "split": spell_parts, "chunk": spell_parts, "unbind": spell_unbind,
    "select": spell_select, "squeeze": spell_squeeze, "squeeze_all": spell_squeeze, "unsqueeze": spell_unsqueeze,
    "permute": spell_permute, "movedim": spell_permute, "transpose": spell_permute, "mT": spell_permute,
    "reshape": spell_reshape, "flatten": spell_reshape, "view": spell_reshape, "expand": spell_expand,
    "diagonal": spell_diagonal, "unfold_view": spell_unfold_view, "linear": spell_matmul, "matmul": spell_matmul,
    "mm": spell_matmul, "bmm": spell_matmul, "conv_relu_pool": spell_conv_relu_pool, "residual": spell_residual,
    "residual_rev": spell_residual, "se_gate": spell_se_gate, "se_gate_rev": spell_se_gate,
    "split_cat": spell_split_cat, "chunk_add": spell_chunk_add, "permute_roundtrip": spell_permute_roundtrip,
    "unsqueeze_add": spell_unsqueeze_add, "avgpool_flatten_linear": spell_pool_tail,
    "adaptive_flatten": spell_pool_tail, "mean_hw": spell_mean_hw, "squeeze_unsq": spell_squeeze_unsq,
}
SPELLINGS.update({"x.elementwise": spell_elementwise, "x.adaptive_pool_backward": spell_adaptive_backward,
    "x.pool_backward": spell_pool_backward, "x.resize_backward": spell_resize_backward,
    "x.group_norm_backward": spell_group_norm_backward, "x.layer_norm_backward": spell_layer_norm_backward,
    "x.max_unpool": spell_max_unpool})
SPELLINGS.update((name, spell_unary) for name in UNARY)
SPELLINGS.update((name, spell_binary) for name in BINARY)
SPELLINGS.update((name, spell_ternary) for name in TERNARY)
SPELLINGS.update((name, spell_scalar) for name in SCALAR)
SPELLINGS.update((name, spell_reduce) for name in REDUCE)


def spell(row, name):
    """The function that carries out a row."""
    if row["op"] not in SPELLINGS:
        raise NotCovered("no such operation")
    function = Function(row, name)
    SPELLINGS[row["op"]](function, row)
    return function.text()
