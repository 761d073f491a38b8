#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace cone::report {

/// A value inside an untrusted record, with its path for messages
/// ("policies[2].estimates[0].value"). Every access is checked: a missing value or one of the wrong
/// type is an Error(kData) that names the path.
class RecordView {
 public:
  /// Longer lists are refused.
  static constexpr std::size_t kMostEntries = 5000;

  /// `file` names the record in messages.
  RecordView(const nlohmann::ordered_json& json, std::string file);

  /// A required member.
  RecordView at(std::string_view key) const;
  /// An optional member.
  std::optional<RecordView> find(std::string_view key) const;
  /// The entries of a list.
  std::vector<RecordView> entries() const;
  /// The entries of an optional list; none where it is missing.
  std::vector<RecordView> entries(std::string_view key) const;
  /// Keys and values of an object.
  std::vector<std::pair<std::string, RecordView>> members() const;

  bool is_null() const { return json_->is_null(); }
  /// NaN where the record has null.
  double number() const;
  std::string text() const;
  bool flag() const;
  /// Two numbers, NaN where the record has null.
  std::pair<double, double> range() const;
  std::vector<double> numbers() const;
  std::vector<std::string> texts() const;

  double number(std::string_view key) const { return at(key).number(); }
  std::string text(std::string_view key) const { return at(key).text(); }
  std::pair<double, double> range(std::string_view key) const { return at(key).range(); }

  const nlohmann::ordered_json& json() const { return *json_; }
  const std::string& file() const { return file_; }
  /// Throws Error(kData) that names this path.
  [[noreturn]] void fail(std::string what) const;

 private:
  RecordView(const nlohmann::ordered_json& json, std::string file, std::string path);
  const nlohmann::ordered_json* json_;
  std::string file_;
  std::string path_;
};

}  // namespace cone::report
