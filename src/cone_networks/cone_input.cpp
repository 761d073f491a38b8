#include "cone_networks/cone_input.hpp"

#include "base/hash.hpp"
#include "nuisance/encoder_input.hpp"

namespace cone {

ConeInput::ConeInput(const Dataset& data)
    : data_(data),
      matrix_(encoder_input(data.features)),
      features_(matrix_),
      id_hashes_(data.num_nodes()) {
  for (NodeIndex i = 0; i < id_hashes_.size(); ++i) id_hashes_[i] = hash64(data.ids[i]);
}

}  // namespace cone
