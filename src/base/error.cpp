#include "cone/error.hpp"

#include <utility>

#include <fmt/format.h>

#include "cone/text.hpp"

namespace cone {
namespace {

std::string join_faults(const std::vector<Fault>& faults, std::uint64_t num_unlisted) {
  std::string text;
  for (const Fault& fault : faults) {
    if (!text.empty()) text += '\n';
    text += fault.to_string();
  }
  if (num_unlisted > 0) text += fmt::format("\n... and {} more", num_unlisted);
  return text;
}

}  // namespace

std::string Place::to_string() const {
  const auto whole = [](const std::string& name) { return printable(name, std::string::npos); };
  std::string text = whole(file);
  if (line > 0) text += fmt::format("{}{}", text.empty() ? "line " : ":", line);
  if (!column.empty()) text += fmt::format("{}column {}", text.empty() ? "" : ", ", whole(column));
  if (!item.empty()) text += text.empty() ? whole(item) : fmt::format(" ({})", whole(item));
  return text;
}

std::string Fault::to_string() const {
  std::string text = place.to_string();
  if (!text.empty()) text += ": ";
  text += printable_lines(what);
  if (!advice.empty()) text += "; " + printable_lines(advice);
  return text;
}

Error::Error(ErrorCode code, Fault fault) : Error(code, std::vector<Fault>{std::move(fault)}) {}

Error::Error(ErrorCode code, std::vector<Fault> faults, std::uint64_t num_unlisted)
    : code_(code),
      faults_(std::move(faults)),
      num_unlisted_(num_unlisted),
      message_(join_faults(faults_, num_unlisted)) {}

void require(bool condition, const char* what) {
  if (!condition) throw Error(ErrorCode::kInternal, Fault{.what = what});
}

void FaultList::add(const std::string& kind, Fault fault) {
  ++total_;
  if (++count_by_kind_[kind] > kListedPerKind || listed_.size() >= kListed) return;
  listed_.push_back(std::move(fault));
  kinds_.push_back(kind);
}

bool FaultList::has_room(const std::string& kind) const {
  if (listed_.size() >= kListed) return false;
  const auto counted = count_by_kind_.find(kind);
  return counted == count_by_kind_.end() || counted->second < kListedPerKind;
}

void FaultList::add_unlisted(const std::string& kind, std::uint64_t count) {
  total_ += count;
  count_by_kind_[kind] += count;
}

void FaultList::merge(const FaultList& other) {
  std::map<std::string, std::uint64_t> unlisted = other.count_by_kind_;
  for (std::size_t i = 0; i < other.listed_.size(); ++i) {
    add(other.kinds_[i], other.listed_[i]);
    --unlisted[other.kinds_[i]];
  }
  for (const auto& [kind, count] : unlisted) add_unlisted(kind, count);
}

void FaultList::throw_if_any(ErrorCode code) const {
  if (empty()) return;
  std::vector<Fault> faults = listed_;
  std::map<std::string, std::uint64_t> unlisted = count_by_kind_;
  for (const std::string& kind : kinds_) --unlisted[kind];
  for (std::size_t i = faults.size(); i-- > 0;) {  // the last of a kind stands for the rest
    std::uint64_t& count = unlisted[kinds_[i]];
    if (count > 0) faults[i].what += fmt::format(" (and {} more like this)", count);
    count = 0;
  }
  std::uint64_t num_unlisted = 0;
  for (const auto& [kind, count] : unlisted) num_unlisted += count;
  throw Error(code, std::move(faults), num_unlisted);
}

}  // namespace cone
