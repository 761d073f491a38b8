#include "report/record_view.hpp"

#include <limits>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/text.hpp"

namespace cone::report {

using Json = nlohmann::ordered_json;

RecordView::RecordView(const Json& json, std::string file) : json_(&json), file_(std::move(file)) {}

RecordView::RecordView(const Json& json, std::string file, std::string path)
    : json_(&json), file_(std::move(file)), path_(std::move(path)) {}

void RecordView::fail(std::string what) const {
  throw Error(ErrorCode::kData, {{.file = file_, .item = printable(path_, 120)},
                                 std::move(what),
                                 "give a file written by --json or --report, unchanged"});
}

RecordView RecordView::at(std::string_view key) const {
  std::optional<RecordView> found = find(key);
  if (!found) fail(fmt::format("has no {}", key));
  return *std::move(found);
}

std::optional<RecordView> RecordView::find(std::string_view key) const {
  if (!json_->is_object()) fail("is not an object");
  const auto found = json_->find(std::string(key));
  if (found == json_->end()) return std::nullopt;
  return RecordView(*found, file_,
                    path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key));
}

std::vector<RecordView> RecordView::entries() const {
  if (!json_->is_array()) fail("is not a list");
  if (json_->size() > kMostEntries) {
    fail(fmt::format("has {} entries, and a report shows at most {}", json_->size(), kMostEntries));
  }
  std::vector<RecordView> views;
  views.reserve(json_->size());
  for (std::size_t i = 0; i < json_->size(); ++i) {
    views.push_back(RecordView((*json_)[i], file_, fmt::format("{}[{}]", path_, i)));
  }
  return views;
}

std::vector<RecordView> RecordView::entries(std::string_view key) const {
  const std::optional<RecordView> found = find(key);
  return found ? found->entries() : std::vector<RecordView>{};
}

std::vector<std::pair<std::string, RecordView>> RecordView::members() const {
  if (!json_->is_object()) fail("is not an object");
  if (json_->size() > kMostEntries) fail("has too many members for a report");
  std::vector<std::pair<std::string, RecordView>> views;
  for (const auto& [key, value] : json_->items()) {
    views.emplace_back(
        key, RecordView(value, file_, path_.empty() ? key : fmt::format("{}.{}", path_, key)));
  }
  return views;
}

double RecordView::number() const {
  if (json_->is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (!json_->is_number()) fail("is not a number");
  return json_->get<double>();
}

std::string RecordView::text() const {
  if (!json_->is_string()) fail("is not a text");
  return json_->get<std::string>();
}

bool RecordView::flag() const {
  if (!json_->is_boolean()) fail("is neither true nor false");
  return json_->get<bool>();
}

std::pair<double, double> RecordView::range() const {
  const std::vector<double> ends = numbers();
  if (ends.size() != 2) fail("is not a pair of numbers");
  return {ends[0], ends[1]};
}

std::vector<double> RecordView::numbers() const {
  std::vector<double> values;
  for (const RecordView& entry : entries()) values.push_back(entry.number());
  return values;
}

std::vector<std::string> RecordView::texts() const {
  std::vector<std::string> values;
  for (const RecordView& entry : entries()) values.push_back(entry.text());
  return values;
}

}  // namespace cone::report
