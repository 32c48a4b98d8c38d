// The one file that a new operation needs: which tensors share a format, and
// what an element of the result is. The reference lowering for every format
// follows from that.

#include "Toy.h"

#include "memfmt/ExternalModels/ElementLowering.h"

using namespace mlir;

namespace {
struct CubeFormats
    : memfmt::FormatOpInterface::ExternalModel<CubeFormats, toy::CubeOp> {
  SmallVector<memfmt::FormatPort> getFormatPorts(Operation *) const {
    memfmt::FormatPort port;
    port.operands = {0};
    port.results = {0};
    return {port};
  }
};

struct CubeElements {
  static Value build(toy::CubeOp, memfmt::ScalarBuilder &s, unsigned,
                     ValueRange indices, const memfmt::ElementReader &reader) {
    Value x = reader.read(0, indices);
    return s.mul(x, s.mul(x, x));
  }
};
} // namespace

void toy::registerModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, toy::ToyDialect *) {
    toy::CubeOp::attachInterface<CubeFormats>(*context);
    memfmt::attachElements<CubeElements, toy::CubeOp>(context);
  });
}
