# Settings of the lit tests. Run `lit BUILD/test` or `ninja check-memfmt`.
# Tools are found on PATH by their own names; features are what REQUIRES names.

import os
import platform
import shutil
import subprocess

import lit.formats

config.name = "memfmt"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "corpus"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.memfmt_build_root, "test")

bin_dir = os.path.join(config.memfmt_build_root, "bin")
config.environment["PATH"] = os.pathsep.join(
    [bin_dir, config.llvm_tools_dir, config.environment.get("PATH", "")]
)
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input-filter=error"
# Python writes no caches into the source tree.
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
config.environment["PYTHONPATH"] = os.path.join(config.memfmt_src_root, "python")

config.substitutions.append(("%python", config.python or "python3"))
config.substitutions.append(("%corpus", os.path.join(config.test_source_root, "corpus")))
config.substitutions.append(("%llvm_dir", os.path.dirname(config.llvm_tools_dir)))
other_target = "sse" if platform.machine() == "aarch64" else "neon"
config.substitutions.append(("%other_target", other_target))
config.substitutions.append(("%memfmt_src", config.memfmt_src_root))
config.substitutions.append(("%memfmt_build", config.memfmt_build_root))
config.substitutions.append(("%memfmt_lib", os.path.join(config.memfmt_build_root, "lib")))

for tool in ["memfmt-opt", "memfmt-compile", "memfmt-run", "memfmt-lsp-server"]:
    if os.path.exists(os.path.join(bin_dir, tool)):
        config.available_features.add(tool)

if os.path.exists(os.path.join(config.llvm_tools_dir, "mlir-runner")):
    config.available_features.add("mlir-runner")
for command in ["cc", "cmake", "ninja"]:
    if shutil.which(command):
        config.available_features.add(command)


def cpu_flags():
    """The instruction sets that the system reports, empty where it does not."""
    try:
        with open("/proc/cpuinfo") as info:
            for line in info:
                if line.startswith(("flags", "Features")):
                    return set(line.split(":", 1)[1].split())
    except OSError:
        pass
    return set()


flags = cpu_flags()
FEATURES = {
    "avx2": {"avx2", "fma"},
    "avx512": {"avx512f", "avx512bw", "avx512dq", "avx512vl"},
    "avx512bf16": {"avx512_bf16"},
    "avx512vnni": {"avx512_vnni"},
    "amx": {"amx_tile", "amx_bf16"},
    "neon": {"asimd"},
}
for feature, needed in FEATURES.items():
    if needed <= flags:
        config.available_features.add(feature)
config.available_features.add(platform.machine())


def has_module(name):
    """Whether the Python of the tests can import a module."""
    command = [config.python or "python3", "-c", "import " + name]
    return subprocess.run(command, capture_output=True).returncode == 0


for module in ["numpy", "onnx", "torch"]:
    if has_module(module):
        config.available_features.add(module)
