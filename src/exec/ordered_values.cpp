#include "exec/ordered_values.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace cone {
namespace {

constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;
constexpr unsigned kBitsPerRound = 8;
constexpr std::size_t kDigits = std::size_t{1} << kBitsPerRound;

/// An integer that sorts as the value does. Both zeros have the same key.
std::uint64_t key_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return (bits & kSignBit) != 0 ? ~bits : bits | kSignBit;
}

double value_of(std::uint64_t key) {
  return std::bit_cast<double>((key & kSignBit) != 0 ? key & ~kSignBit : ~key);
}

using Values = std::span<const double>;

/// A radix search for the value at an index: the candidates share the digits found so far.
struct Search {
  std::uint64_t key = 0;    ///< the digits found, then zeros
  std::uint64_t index = 0;  ///< among the candidates of all ranks
  Values local;             ///< the candidates of this rank
};

/// Counts this rank's candidates by their next digit, whose lowest bit is `shift`.
void count_digits(const Search& search, unsigned shift, std::span<double> counts) {
  auto begin = search.local.begin();
  for (std::size_t digit = 0; digit < kDigits; ++digit) {
    const auto end = std::partition_point(begin, search.local.end(), [&](double value) {
      return ((key_of(value) >> shift) & (kDigits - 1)) <= digit;
    });
    counts[digit] = static_cast<double>(end - begin);
    begin = end;
  }
}

/// Narrows the search to the digit that contains the index.
void take_digit(std::span<const double> counts, unsigned shift, Search& search) {
  std::uint64_t digit = 0;
  while (search.index >= static_cast<std::uint64_t>(counts[digit])) {
    search.index -= static_cast<std::uint64_t>(counts[digit]);
    ++digit;
  }
  const auto digit_of = [&](double value) { return (key_of(value) >> shift) & (kDigits - 1); };
  const auto begin = std::partition_point(search.local.begin(), search.local.end(),
                                          [&](double value) { return digit_of(value) < digit; });
  const auto end = std::partition_point(begin, search.local.end(),
                                        [&](double value) { return digit_of(value) == digit; });
  search.local = {begin, end};
  search.key |= digit << shift;
}

}  // namespace

OrderedValues::OrderedValues(std::vector<double> values, const Communicator& comm)
    : comm_(comm),
      local_(std::move(values)),
      size_(static_cast<std::uint64_t>(comm.count(local_.size()))) {
  std::sort(local_.begin(), local_.end());
}

std::uint64_t OrderedValues::count_above(double limit) const {
  const auto above = local_.end() - std::upper_bound(local_.begin(), local_.end(), limit);
  return static_cast<std::uint64_t>(comm_.count(static_cast<std::size_t>(above)));
}

std::vector<double> OrderedValues::at(std::span<const std::uint64_t> indices) const {
  std::vector<double> out;
  if (!comm_.has_others()) {
    for (const std::uint64_t index : indices) out.push_back(local_[index]);
    return out;
  }
  std::vector<Search> searches;
  for (const std::uint64_t index : indices) searches.push_back({.index = index, .local = local_});
  std::vector<double> counts(searches.size() * kDigits);
  for (unsigned shift = 64; shift > 0;) {
    shift -= kBitsPerRound;
    const auto counts_of = [&](std::size_t k) {
      return std::span(counts).subspan(k * kDigits, kDigits);
    };
    for (std::size_t k = 0; k < searches.size(); ++k) {
      count_digits(searches[k], shift, counts_of(k));
    }
    comm_.allreduce(counts);
    for (std::size_t k = 0; k < searches.size(); ++k) {
      take_digit(counts_of(k), shift, searches[k]);
    }
  }
  for (const Search& search : searches) out.push_back(value_of(search.key));
  return out;
}

std::span<const double> OrderedValues::last(std::uint64_t count) const {
  const Values local(local_);
  if (!comm_.has_others()) return local.last(count);
  if (count == 0) return {};
  const std::uint64_t first = size_ - count;
  const double border = at(std::span(&first, 1))[0];
  const auto [equal_begin, equal_end] = std::equal_range(local.begin(), local.end(), border);
  const auto num_above = static_cast<std::size_t>(local.end() - equal_end);
  // Of the values equal to the border, those of the last ranks are taken first.
  const auto num_equal = static_cast<double>(equal_end - equal_begin);
  const std::vector<double> of_all = comm_.allgatherv(std::span(&num_equal, 1));
  double missing = static_cast<double>(count) - comm_.count(num_above);
  for (std::size_t r = of_all.size(); r > comm_.rank() + 1; --r) missing -= of_all[r - 1];
  const auto taken = static_cast<std::size_t>(std::clamp(missing, 0.0, num_equal));
  return local.last(num_above + taken);
}

std::vector<std::vector<std::size_t>> group_evenly(std::span<const double> values,
                                                   std::size_t num_groups,
                                                   const Communicator& comm) {
  const OrderedValues sorted({values.begin(), values.end()}, comm);
  std::vector<std::uint64_t> positions;
  for (std::size_t g = 1; g < num_groups; ++g) positions.push_back(g * sorted.size() / num_groups);
  const std::vector<double> cuts = sorted.at(positions);
  std::vector<std::vector<std::size_t>> groups(num_groups);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto after = std::upper_bound(cuts.begin(), cuts.end(), values[i]);
    groups[static_cast<std::size_t>(after - cuts.begin())].push_back(i);
  }
  std::vector<double> sizes(num_groups);
  for (std::size_t g = 0; g < num_groups; ++g) sizes[g] = static_cast<double>(groups[g].size());
  comm.allreduce(sizes);
  std::size_t kept = 0;
  for (std::size_t g = 0; g < num_groups; ++g) {
    if (sizes[g] == 0) continue;
    if (kept != g) groups[kept] = std::move(groups[g]);
    ++kept;
  }
  groups.resize(kept);
  return groups;
}

}  // namespace cone
