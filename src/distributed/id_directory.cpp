#include "distributed/id_directory.hpp"

#include <algorithm>
#include <utility>

#include "base/hash.hpp"

namespace cone::distributed {
namespace {

std::size_t owner_of(std::string_view id, std::size_t num_ranks) { return hash64(id) % num_ranks; }

/// `owner`: set to the rank that stores every id.
TextMessages sort_by_owner(const TextList& ids, std::size_t num_ranks,
                           std::vector<std::uint32_t>& owner) {
  TextMessages out(num_ranks);
  owner.reserve(ids.size());
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const std::string_view id = ids[k];
    const std::size_t to = owner_of(id, num_ranks);
    owner.push_back(static_cast<std::uint32_t>(to));
    out.add(to, id);
  }
  return out;
}

}  // namespace

TextMessages TextMessages::alltoallv(const Communicator& comm, TextMessages&& sent) {
  TextMessages out(comm.size());
  out.bytes = comm.alltoallv(std::move(sent.bytes));
  out.sizes = comm.alltoallv(std::move(sent.sizes));
  return out;
}

std::size_t IdDirectory::TextHash::operator()(std::string_view text) const { return hash64(text); }

IdDirectory::IdDirectory(const Communicator& comm, const TextList& ids, std::uint64_t first)
    : comm_(comm) {
  std::vector<std::uint32_t> owner;
  TextMessages messages = sort_by_owner(ids, comm.size(), owner);
  std::vector<std::vector<std::uint64_t>> numbers(comm.size());
  for (std::size_t k = 0; k < owner.size(); ++k) numbers[owner[k]].push_back(first + k);
  messages = TextMessages::alltoallv(comm, std::move(messages));
  const auto received = comm.alltoallv(std::move(numbers));
  for (std::size_t from = 0; from < comm.size(); ++from) {
    messages.visit(from, [&](std::size_t k, std::string_view id) {
      const auto [found, is_new] = numbers_.try_emplace(std::string(id), received[from][k]);
      if (!is_new) repeats_.push_back({std::string(id), found->second, received[from][k]});
    });
  }
}

std::vector<std::uint64_t> IdDirectory::find(const TextList& ids) const {
  std::vector<std::uint32_t> owner;
  TextMessages messages = sort_by_owner(ids, comm_.size(), owner);
  messages = TextMessages::alltoallv(comm_, std::move(messages));
  std::vector<std::vector<std::uint64_t>> replies(comm_.size());
  for (std::size_t from = 0; from < comm_.size(); ++from) {
    messages.visit(from, [&](std::size_t, std::string_view id) {
      const auto found = numbers_.find(id);
      replies[from].push_back(found == numbers_.end() ? kAbsent : found->second);
    });
  }
  const auto received = comm_.alltoallv(std::move(replies));
  std::vector<std::uint64_t> out;
  out.reserve(ids.size());
  std::vector<std::size_t> next(comm_.size(), 0);
  for (const std::uint32_t from : owner) out.push_back(received[from][next[from]++]);
  return out;
}

}  // namespace cone::distributed
