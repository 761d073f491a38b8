#include "study/real_networks.hpp"

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/file.hpp"

namespace cone {

void require_real_networks(const std::filesystem::path& folder) {
  FaultList faults;
  for (const RealNetwork& network : kRealNetworks) {
    const std::filesystem::path path = folder / network.file;
    if (path_kind(path) == PathKind::kFile) continue;
    faults.add("missing",
               {{.file = path.string()},
                "does not exist",
                fmt::format("it is published with the AANE code (GitHub, "
                            "xhuang31/AANE_MATLAB), sha256 {}; name its folder with --data, or "
                            "run the study on the built-in network with --data demo",
                            network.sha256)});
  }
  faults.throw_if_any(ErrorCode::kData);
}

}  // namespace cone
