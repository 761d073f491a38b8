#include "distributed/ranks.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sched.h>

#include "base/stopwatch.hpp"
#include "base/text.hpp"

namespace cone::distributed {
namespace {

/// Bytes per message: MPI counts are of type int.
constexpr std::size_t kMostBytesAtATime = std::size_t{1} << 30;

nlohmann::json to_json(const FaultList& faults) {
  nlohmann::json listed = nlohmann::json::array();
  for (std::size_t k = 0; k < faults.listed().size(); ++k) {
    const Fault& fault = faults.listed()[k];
    listed.push_back({faults.kinds()[k], fault.place.file, fault.place.line, fault.place.column,
                      fault.place.item, fault.what, fault.advice});
  }
  return {{"listed", listed}, {"counts", faults.count_by_kind()}};
}

/// Skips faults that another rank has reported: all ranks find a fault of a whole file.
FaultList from_json(const nlohmann::json& json, std::set<std::string>& seen) {
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

std::size_t count_by(int (*ask)(MPI_Comm, int*), MPI_Comm comm) {
  int count = 0;
  ask(comm, &count);
  return static_cast<std::size_t>(count);
}

/// Ranks on this host.
std::size_t count_on_host(MPI_Comm comm) {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  const std::size_t count = count_by(MPI_Comm_size, host);
  MPI_Comm_free(&host);
  return count;
}

}  // namespace

Ranks::Ranks(MPI_Comm comm, bool shares_memory)
    : comm_(comm),
      rank_(count_by(MPI_Comm_rank, comm)),
      size_(count_by(MPI_Comm_size, comm)),
      num_on_host_(count_on_host(comm)),
      shared_memory_(comm, shares_memory && size_ > 1 && num_on_host_ == size_) {}

void Ranks::count_traffic(std::uint64_t num_bytes, double seconds) const {
  traffic_.num_bytes += num_bytes;
  traffic_.seconds += seconds;
  ++traffic_.num_calls;
}

void Ranks::allreduce_lists(std::span<const std::span<double>> lists) const {
  if (lists.size() == 1) {
    allreduce(lists.front());
    return;
  }
  std::vector<double> all;
  for (const std::span<double> list : lists) all.insert(all.end(), list.begin(), list.end());
  allreduce(all);
  auto next = all.begin();
  for (const std::span<double> list : lists) {
    std::copy_n(next, list.size(), list.begin());
    next += static_cast<std::ptrdiff_t>(list.size());
  }
}

std::uint64_t Ranks::allreduce(std::uint64_t value) const {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_UINT64_T, MPI_SUM, comm_);
  return value;
}

void Ranks::allreduce_max(std::span<double> values) const {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX,
                comm_);
}

std::uint64_t Ranks::allreduce_max(std::uint64_t value) const {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_UINT64_T, MPI_MAX, comm_);
  return value;
}

std::uint64_t Ranks::exclusive_scan(std::uint64_t value) const {
  std::uint64_t before = 0;
  MPI_Exscan(&value, &before, 1, MPI_UINT64_T, MPI_SUM, comm_);
  return is_root() ? 0 : before;  // MPI_Exscan leaves rank 0's result undefined
}

std::vector<std::uint64_t> Ranks::allgather(std::uint64_t value) const {
  std::vector<std::uint64_t> out(size_);
  MPI_Allgather(&value, 1, MPI_UINT64_T, out.data(), 1, MPI_UINT64_T, comm_);
  return out;
}

std::vector<double> Ranks::allgather(std::span<const double> values) const {
  const Stopwatch watch;
  std::vector<int> counts;
  std::vector<int> begins;
  std::uint64_t total = 0;
  for (const std::uint64_t count : allgather(std::uint64_t{values.size()})) {
    begins.push_back(static_cast<int>(total));
    counts.push_back(static_cast<int>(count));
    total += count;
    require(total < std::uint64_t{std::numeric_limits<int>::max()}, "ranks: too much to gather");
  }
  std::vector<double> out(total);
  MPI_Allgatherv(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, out.data(),
                 counts.data(), begins.data(), MPI_DOUBLE, comm_);
  count_traffic(values.size_bytes() * (size_ - 1), watch.seconds());
  return out;
}

std::vector<std::string> Ranks::allgather(const std::string& text) const {
  const std::vector<std::uint64_t> sizes = allgather(std::uint64_t{text.size()});
  const std::vector<char> all = allgatherv(std::span(text.data(), text.size()));
  std::vector<std::string> out;
  auto next = all.begin();
  for (const std::uint64_t size : sizes) {
    out.emplace_back(next, next + static_cast<std::ptrdiff_t>(size));
    next += static_cast<std::ptrdiff_t>(size);
  }
  return out;
}

void Ranks::gather_bytes_into(std::span<const std::byte> own, std::span<const std::uint64_t> sizes,
                              std::span<std::byte> all) const {
  if (all.size() > std::size_t{std::numeric_limits<int>::max()}) {
    throw CollectiveError(
        ErrorCode::kData,
        {{},
         fmt::format("an allgather of {} bytes exceeds MPI's limit of {}", grouped(all.size()),
                     grouped(std::numeric_limits<int>::max())),
         "use fewer ranks or fewer count features"});
  }
  const Stopwatch watch;
  const std::vector<int> counts(sizes.begin(), sizes.end());
  std::vector<int> begins(size_, 0);
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
  MPI_Allgatherv(own.data(), counts[rank_], MPI_BYTE, all.data(), counts.data(), begins.data(),
                 MPI_BYTE, comm_);
  count_traffic(own.size() * (size_ - 1), watch.seconds());
}

std::vector<std::uint64_t> Ranks::alltoall_sizes(std::span<const std::uint64_t> sizes) const {
  require(sizes.size() == size_, "ranks: one part per rank");
  std::vector<std::uint64_t> out(size_);
  MPI_Alltoall(sizes.data(), 1, MPI_UINT64_T, out.data(), 1, MPI_UINT64_T, comm_);
  return out;
}

void Ranks::send_and_receive(std::size_t to, std::span<const std::byte> sent, std::size_t from,
                             std::span<std::byte> received) const {
  if (to == rank_) {
    std::memcpy(received.data(), sent.data(), sent.size());
    return;
  }
  const Stopwatch watch;
  // No message where the size is 0: the receiver knows the sizes.
  std::vector<MPI_Request> requests;
  for (std::size_t at = 0; at < received.size(); at += kMostBytesAtATime) {
    const auto count = static_cast<int>(std::min(received.size() - at, kMostBytesAtATime));
    MPI_Irecv(received.data() + at, count, MPI_BYTE, static_cast<int>(from), 0, comm_,
              &requests.emplace_back());
  }
  for (std::size_t at = 0; at < sent.size(); at += kMostBytesAtATime) {
    const auto count = static_cast<int>(std::min(sent.size() - at, kMostBytesAtATime));
    MPI_Isend(sent.data() + at, count, MPI_BYTE, static_cast<int>(to), 0, comm_,
              &requests.emplace_back());
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  count_traffic(sent.size(), watch.seconds());
}

void Ranks::receive_state(std::span<std::byte> state) const {
  if (is_root()) return;
  MPI_Recv(state.data(), static_cast<int>(state.size()), MPI_BYTE, static_cast<int>(rank_) - 1, 0,
           comm_, MPI_STATUS_IGNORE);
}

void Ranks::pass_state(std::span<std::byte> state) const {
  const Stopwatch watch;
  const auto count = static_cast<int>(state.size());
  if (rank_ + 1 < size_) {
    MPI_Send(state.data(), count, MPI_BYTE, static_cast<int>(rank_) + 1, 0, comm_);
  }
  MPI_Bcast(state.data(), count, MPI_BYTE, static_cast<int>(size_) - 1, comm_);
  count_traffic(state.size(), watch.seconds());
}

void Ranks::barrier() const {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm_, &request);
  int is_done = 0;
  MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
  while (is_done == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
  }
}

/// One core per rank of this host, at most those in this process's affinity mask.
int Ranks::count_cores_for(std::size_t num_busy) const {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return 1;
  const auto cores = std::min(num_on_host_, static_cast<std::size_t>(CPU_COUNT(&allowed)));
  return static_cast<int>(
      std::max<std::size_t>(1, cores / std::clamp<std::size_t>(num_busy, 1, num_on_host_)));
}

void Ranks::throw_if_any(const FaultList& faults, ErrorCode code) const {
  if (!any(!faults.empty())) return;
  FaultList all;
  std::set<std::string> seen;
  for (const std::string& of_rank : allgather(to_json(faults).dump())) {
    all.merge(from_json(nlohmann::json::parse(of_rank), seen));
  }
  try {
    all.throw_if_any(code);
  } catch (const Error& error) {
    throw CollectiveError(code, error.faults(), error.num_unlisted());
  }
}

}  // namespace cone::distributed
