#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cone::load {

/// A sentence, with advice, about a column of numbers that has a code for "missing" (-999, 9999, -1
/// among numbers of one sign, 99 among 0 and 1) or a value more than 20 robust standard deviations
/// from the median (of positive numbers, which may be skewed, also 8 in logarithms). `what` begins
/// it.
std::optional<std::string> describe_strange_value(const std::string& what,
                                                  const std::vector<double>& values);

/// Whether whole numbers name something: by a word of the column's name (zip, id, code), or as
/// every node has another one of hardly more numbers than nodes.
bool looks_like_a_code(const std::string& name, std::vector<double> values);

/// Whether the name has the word as a part of its own: home_zip, ZIP, zipCode2.
bool has_word(std::string_view name, std::string_view word);

/// A sentence about outcomes whose mean rests on few nodes.
std::optional<std::string> describe_tail(std::vector<double> outcomes);

}  // namespace cone::load
