#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cone::load {

/// A warning about a numeric column that has a code for "missing" (-999, 9999, -1 among numbers of
/// one sign, 99 among 0 and 1) or a value more than 20 robust standard deviations from the median
/// (for positive numbers, which may be skewed, also 8 in logarithms). `what` begins the sentence.
std::optional<std::string> describe_strange_value(const std::string& what,
                                                  const std::vector<double>& values);

/// Whether whole numbers are codes: by a word of the column's name (zip, id, code), or because all
/// are different and their range is hardly larger than the number of nodes.
bool looks_like_a_code(const std::string& name, std::vector<double> values);

/// Whether the name contains the word as a separate part: home_zip, ZIP, zip2.
bool has_word(std::string_view name, std::string_view word);

/// A warning about a heavy-tailed outcome, whose mean depends on few nodes.
std::optional<std::string> describe_tail(std::vector<double> outcomes);

}  // namespace cone::load
