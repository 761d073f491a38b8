#include "data/collective_error.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

namespace cone {
namespace {

nlohmann::json describe_faults(const FaultList& faults) {
  nlohmann::json listed = nlohmann::json::array();
  for (std::size_t k = 0; k < faults.listed().size(); ++k) {
    const Fault& fault = faults.listed()[k];
    listed.push_back({faults.kinds()[k], fault.place.file, fault.place.line, fault.place.column,
                      fault.place.item, fault.what, fault.advice});
  }
  return {{"listed", listed}, {"counts", faults.count_by_kind()}};
}

/// Skips faults that another rank has reported: all ranks find a fault of a whole file.
FaultList read_faults(const nlohmann::json& json, std::set<std::string>& seen) {
  FaultList out;
  auto unlisted = json["counts"].get<std::map<std::string, std::uint64_t>>();
  for (const auto& f : json["listed"]) {
    const auto kind = f[0].get<std::string>();
    --unlisted[kind];
    if (!seen.insert(f.dump()).second) continue;
    out.add(kind, {{f[1].get<std::string>(), f[2].get<std::uint64_t>(), f[3].get<std::string>(),
                    f[4].get<std::string>()},
                   f[5].get<std::string>(),
                   f[6].get<std::string>()});
  }
  for (const auto& [kind, count] : unlisted) {
    if (count > 0) out.add_unlisted(kind, count);
  }
  return out;
}

}  // namespace

void throw_if_any(const Communicator& comm, const FaultList& faults, ErrorCode code) {
  if (!comm.any(!faults.empty())) return;
  FaultList all;
  std::set<std::string> seen;
  for (const std::string& of_rank : comm.allgather(describe_faults(faults).dump())) {
    all.merge(read_faults(nlohmann::json::parse(of_rank), seen));
  }
  try {
    all.throw_if_any(code);
  } catch (const Error& error) {
    throw CollectiveError(code, error.faults(), error.num_unlisted());
  }
}

}  // namespace cone
